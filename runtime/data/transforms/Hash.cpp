#include "../Hashing.h"
#include "Transform.h"

namespace sparsec::data {
namespace {

/// The remainder without a division, which would cost more than the hash of a short text: floor(h * floor(2^64 / n) /
/// 2^64) is at most 2 below the quotient.
class Remainder {
public:
  explicit Remainder(uint64_t n) : n(n), inverse(n > 1 ? static_cast<uint64_t>((Wide(1) << 64) / n) : UINT64_MAX) {}
  uint64_t operator()(uint64_t h) const {
    uint64_t rest = h - static_cast<uint64_t>((Wide(h) * inverse) >> 64) * n;
    while (rest >= n)
      rest -= n;
    return rest;
  }
  uint64_t divisor() const { return n; }

private:
  using Wide = unsigned __int128;
  uint64_t n, inverse;
};

/// XXH64(bytes, seed) modulo ids, unsigned. The same on every platform.
class Hash : public Transform {
public:
  Hash(int64_t ids, uint64_t seed) : remainder(ids), seed(seed) {}
  IdText apply(std::string_view text, int64_t &id) const override {
    id = static_cast<int64_t>(remainder(hash64(text, seed)));
    return IdText::Good;
  }
  int64_t ids() const override { return static_cast<int64_t>(remainder.divisor()); }

private:
  Remainder remainder;
  uint64_t seed;
};

} // namespace

std::unique_ptr<Transform> makeHash(int64_t ids, uint64_t seed) { return std::make_unique<Hash>(ids, seed); }

} // namespace sparsec::data
