// Keys sorted, with the runs of equal keys: the base of unique ids and of summed row gradients.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Run s is [start[s], start[s + 1]) and has key[s], ascending; order[k] is the place the k-th sorted key came from,
/// equal keys in the order they came in.
struct SortedRuns {
  int64_t runs = 0;
  uint64_t *key = nullptr;
  int64_t *start = nullptr;
  const uint32_t *order = nullptr;
};

/// Overwrites `keys`. No key may exceed `maxKey`. The result lives in ragged memory. Error: 2^32 keys or more.
Result<SortedRuns> sortRuns(Context &, uint64_t *keys, int64_t n, uint64_t maxKey);

} // namespace sparsec
