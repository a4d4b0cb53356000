// The unique form of ids.
#include "Handle.h"
#include "SortedRuns.h"
#include "sparsec/ThreadPool.h"
#include <algorithm>

namespace sparsec {

namespace {

Status makeUnique(Context &context, const SparsecJagged &ids, const SparsecJagged **unique, const SparsecJagged **at) {
  int64_t n = ids.offsets[ids.bags];
  uint64_t *keys = context.scratch<uint64_t>(n), maxKey = 0;
  for (int64_t k = 0; k < n; ++k) {
    keys[k] = uint64_t(ids.values[k]);
    maxKey = std::max(maxKey, keys[k]);
  }
  Result<SortedRuns> sorted = sortRuns(context, keys, n, maxKey);
  if (!sorted)
    return sorted.status();
  int64_t runs = sorted->runs;
  int64_t *places = context.scratch<int64_t>(n), *values = context.scratch<int64_t>(runs);
  int64_t *offsets = context.scratch<int64_t>(runs + 1), *bagStart = context.scratch<int64_t>(2);
  context.pool().parallel(runs, 2048, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      values[s] = int64_t(sorted->key[s]);
      offsets[s] = s;
      for (int64_t k = sorted->start[s]; k < sorted->start[s + 1]; ++k)
        places[sorted->order[k]] = s;
    }
  });
  offsets[runs] = runs;
  bagStart[0] = 0;
  bagStart[1] = runs;
  SparsecJagged *results = context.scratch<SparsecJagged>(2);
  results[0] = {1, 1, runs, bagStart, offsets, values, nullptr, nullptr};
  results[1] = ids;
  results[1].values = places;
  *unique = &results[0];
  *at = &results[1];
  return {};
}

} // namespace

} // namespace sparsec

extern "C" int32_t sparsec_unique(SparsecContext *handle, const SparsecJagged *ids, const SparsecJagged **unique,
                                  const SparsecJagged **at) {
  return sparsec::guarded(handle,
                          [&](sparsec::Context &context) { return sparsec::makeUnique(context, *ids, unique, at); });
}
