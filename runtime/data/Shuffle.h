// The order of samples in an epoch.
#pragma once
#include <cstdint>
#include <vector>

namespace sparsec::data {

/// The rows [first, first + n) of a window in the order of an epoch: ascending by XXH64 with `seed` of the 16 bytes
/// (epoch, row), both little-endian, and by row where two hashes are equal. result[i] is the i-th sample's row.
void shuffleWindow(uint64_t seed, int64_t epoch, int64_t first, int64_t n, std::vector<int64_t> &result);

} // namespace sparsec::data
