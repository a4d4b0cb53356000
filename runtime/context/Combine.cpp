// Rows that come back become the columns of each lookup, summed over the owners of row blocks; and the adjoint.
#include "Division.h"
#include "Handle.h"
#include "RowPlaces.h"
#include <cstring>

namespace sparsec {

namespace {

int64_t bagsOf(const Owners &owners, const SparsecJagged &routed, int64_t item) {
  int64_t pair = owners.pair(item, 0);
  return routed.bag_start[pair + 1] - routed.bag_start[pair];
}

/// Ranks that rows of an item come from: its owners, or the one of their node that has my sums.
int64_t sourcesOf(const SparsecItem &item, bool inNode) { return inNode ? 1 : item.count; }

Status combine(Context &context, const Owners &owners, const SparsecItem *items, int64_t count,
               const SparsecJagged &routed, bool inNode, const float *rows, float *const *out, const int64_t *dim) {
  const int64_t *place = returnedPlaces(context, owners, routed, inNode);
  const float **source = context.scratch<const float *>(owners.pairs());
  SparsecCombine *argument = context.scratch<SparsecCombine>(count);
  Division division;
  for (int64_t i = 0; i < count; ++i) {
    const SparsecItem &item = items[i];
    int64_t bags = bagsOf(owners, routed, i);
    if (bags == 0) // nor need there be buffers
      continue;
    int64_t sources = sourcesOf(item, inNode);
    argument[i] = {source, sources, dim[item.lookup], out[item.lookup] + item.col0};
    for (int64_t o = 0; o < sources; ++o)
      *source++ = rows + place[owners.pair(i, o)];
    division.add(i, bags, nullptr, int64_t(item.dim) * (sources + 1));
  }
  division.run(context.pool(),
               [&](int64_t i, int64_t begin, int64_t end) { items[i].combine_kernel(&argument[i], begin, end); });
  return {};
}

Status spread(Context &context, const Owners &owners, const SparsecItem *items, int64_t count,
              const SparsecJagged &routed, bool inNode, const float *const *gradient, const int64_t *dim, float *rows) {
  const int64_t *place = returnedPlaces(context, owners, routed, inNode);
  Division division;
  for (int64_t i = 0; i < count; ++i)
    division.add(i, bagsOf(owners, routed, i), nullptr, int64_t(items[i].dim) * (sourcesOf(items[i], inNode) + 1));
  division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
    const SparsecItem &item = items[i];
    for (int64_t bag = begin; bag < end; ++bag) {
      const float *from = gradient[item.lookup] + bag * dim[item.lookup] + item.col0;
      for (int64_t o = 0; o < sourcesOf(item, inNode); ++o)
        std::memcpy(rows + place[owners.pair(i, o)] + bag * item.dim, from, size_t(item.dim) * sizeof(float));
    }
  });
  return {};
}

} // namespace

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_combine_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                const SparsecJagged *routed, int32_t inNode, const float *rows, float *const *out,
                                const int64_t *dim) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? combine(context, *owners, items, count, *routed, inNode, rows, out, dim) : owners.status();
  });
}

int32_t sparsec_spread_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                               const SparsecJagged *routed, int32_t inNode, const float *const *gradient,
                               const int64_t *dim, float *rows) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? spread(context, *owners, items, count, *routed, inNode, gradient, dim, rows) : owners.status();
  });
}

} // extern "C"
