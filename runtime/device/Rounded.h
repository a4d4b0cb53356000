// Sizes that depend on ids, rounded up: steps whose ids are about as many take the same memory and the same launches.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace sparsec {

/// At least n >= 0, and at most an eighth more (or 31).
inline int64_t roundedSize(int64_t n) {
  int64_t multiple = std::max<int64_t>(32, int64_t(std::bit_floor(uint64_t(n)) / 8));
  return (n + multiple - 1) / multiple * multiple;
}

} // namespace sparsec
