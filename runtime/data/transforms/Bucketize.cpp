#include "../Numbers.h"
#include "Transform.h"
#include <algorithm>

namespace sparsec::data {
namespace {

/// How many bounds are <= the number.
class Bucketize : public Transform {
public:
  explicit Bucketize(const std::vector<double> &bounds) : bounds(bounds) {}
  IdText apply(std::string_view text, int64_t &id) const override {
    double x;
    switch (parseNumber(text, x)) {
    case NumberText::NotFinite:
      return IdText::NotFinite;
    case NumberText::TooLarge:
      return IdText::TooLarge;
    case NumberText::NotANumber:
      return IdText::NotANumber;
    case NumberText::Good:
      break;
    }
    id = std::upper_bound(bounds.begin(), bounds.end(), x) - bounds.begin();
    return IdText::Good;
  }
  int64_t ids() const override { return static_cast<int64_t>(bounds.size()) + 1; }

private:
  std::vector<double> bounds;
};

} // namespace

std::unique_ptr<Transform> makeBucketize(const std::vector<double> &bounds) {
  return std::make_unique<Bucketize>(bounds);
}

} // namespace sparsec::data
