#include "Shuffle.h"
#include "Hashing.h"
#include <algorithm>
#include <bit>

namespace sparsec::data {

static_assert(std::endian::native == std::endian::little, "the shuffle keys are defined on little-endian bytes");

void shuffleWindow(uint64_t seed, int64_t epoch, int64_t first, int64_t n, std::vector<int64_t> &result) {
  std::vector<std::pair<uint64_t, int64_t>> keyed(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t key[2] = {epoch, first + i};
    keyed[i] = {XXH64(key, sizeof(key), seed), first + i};
  }
  std::sort(keyed.begin(), keyed.end());
  result.resize(n);
  for (int64_t i = 0; i < n; ++i)
    result[i] = keyed[i].second;
}

} // namespace sparsec::data
