#include "Transform.h"

namespace sparsec::data {
namespace {

/// Floor modulo of a decimal int64: -1 modulo 10 is 9.
class Modulo : public Transform {
public:
  explicit Modulo(int64_t ids) : integer(makeIdentity(ids)), count(ids) {}
  IdText apply(std::string_view text, int64_t &id) const override {
    IdText result = integer->apply(text, id);
    if (result == IdText::Good) {
      id %= count;
      id += id < 0 ? count : 0;
    }
    return result;
  }
  int64_t ids() const override { return count; }

private:
  std::unique_ptr<Transform> integer;
  int64_t count;
};

} // namespace

std::unique_ptr<Transform> makeModulo(int64_t ids) { return std::make_unique<Modulo>(ids); }

} // namespace sparsec::data
