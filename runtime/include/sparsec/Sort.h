// Sorting ids, and the runs of equal ids in the result. Deterministic: the sort is stable, so there is one right answer
// at any thread count.
#pragma once
#include "sparsec/ThreadPool.h"
#include <cstdint>

namespace sparsec {

/// Where a sort left its result: in the arrays given, or in the scratch (after an odd number of passes).
template <typename Value> struct SortedPairs {
  uint64_t *keys;
  Value *values;
};

/// Stable sort of n pairs by key, ascending. Looks only at the bits that `maxKey` needs: no key may exceed it. Scratch:
/// n keys and n values, no overlap; both pairs of arrays are overwritten. Value: int32_t, uint32_t or int64_t. `pool`
/// may be null.
template <typename Value>
SortedPairs<Value> sortPairs(uint64_t *keys, Value *values, int64_t n, uint64_t maxKey, uint64_t *scratchKeys,
                             Value *scratchValues, ThreadPool *pool = nullptr);

/// Runs of equal keys in sorted keys: unique[s] is the key of run s, which is [start[s], start[s + 1]). Room for n keys
/// and n + 1 starts at most. Returns the number of runs; start[runs] = n. `unique` may be null, or `keys` itself.
int64_t findSegments(const uint64_t *keys, int64_t n, uint64_t *unique, int64_t *start);

} // namespace sparsec
