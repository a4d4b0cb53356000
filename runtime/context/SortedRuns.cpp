#include "SortedRuns.h"
#include "sparsec/Sort.h"
#include "sparsec/ThreadPool.h"
#include <fmt/format.h>

namespace sparsec {

Result<SortedRuns> sortRuns(Context &context, uint64_t *keys, int64_t n, uint64_t maxKey) {
  if (n > int64_t(UINT32_MAX))
    return Status::error(fmt::format("rank {} sorts {} ids in one step: expected fewer than 2^32", context.rank(), n));
  uint32_t *order = context.scratch<uint32_t>(n);
  context.pool().parallel(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      order[i] = uint32_t(i);
  });
  uint64_t *otherKeys = context.scratch<uint64_t>(n);
  uint32_t *otherOrder = context.scratch<uint32_t>(n);
  SortedPairs<uint32_t> sorted = sortPairs(keys, order, n, maxKey, otherKeys, otherOrder, &context.pool());
  SortedRuns result;
  result.key = sorted.keys;
  result.order = sorted.values;
  result.start = context.scratch<int64_t>(n + 1);
  result.runs = findSegments(sorted.keys, n, sorted.keys, result.start);
  return result;
}

} // namespace sparsec
