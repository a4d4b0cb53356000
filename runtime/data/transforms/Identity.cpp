#include "../Numbers.h"
#include "Transform.h"

namespace sparsec::data {
namespace {

/// The text is the id, a decimal int64.
class Identity : public Transform {
public:
  explicit Identity(int64_t ids) : count(ids) {}
  IdText apply(std::string_view text, int64_t &id) const override {
    switch (parseInteger(text, id)) {
    case NumberText::Good:
      return IdText::Good;
    case NumberText::TooLarge:
      return IdText::TooLarge;
    default:
      return IdText::NotAnInteger;
    }
  }
  int64_t ids() const override { return count; }

private:
  int64_t count;
};

} // namespace

std::unique_ptr<Transform> makeIdentity(int64_t ids) { return std::make_unique<Identity>(ids); }

} // namespace sparsec::data
