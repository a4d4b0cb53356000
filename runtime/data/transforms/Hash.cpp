#include "../Hashing.h"
#include "Transform.h"

namespace sparsec::data {
namespace {

/// XXH64(bytes, seed) modulo ids, unsigned. The same on every platform.
class Hash : public Transform {
public:
  Hash(int64_t ids, uint64_t seed) : count(ids), seed(seed) {}
  IdText apply(std::string_view text, int64_t &id) const override {
    id = static_cast<int64_t>(hash64(text, seed) % count);
    return IdText::Good;
  }
  int64_t ids() const override { return static_cast<int64_t>(count); }

private:
  uint64_t count, seed;
};

} // namespace

std::unique_ptr<Transform> makeHash(int64_t ids, uint64_t seed) { return std::make_unique<Hash>(ids, seed); }

} // namespace sparsec::data
