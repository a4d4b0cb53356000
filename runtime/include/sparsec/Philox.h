// Philox4x32-10, the counter-based random numbers of J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers:
// as easy as 1, 2, 3" (SC 2011): a keyed bijection on counters, so any number can be computed alone.
#pragma once
#include <array>
#include <cstdint>

namespace sparsec {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Four random words for one counter. Ten rounds.
inline PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  constexpr uint64_t multiply0 = 0xD2511F53, multiply1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = multiply0 * counter[0];
    uint64_t product1 = multiply1 * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key = {key[0] + weyl0, key[1] + weyl1};
  }
  return counter;
}

} // namespace sparsec
