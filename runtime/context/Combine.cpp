// Rows that come back become the columns of each lookup, summed over the owners of row blocks; and the adjoint.
#include "Division.h"
#include "Handle.h"
#include "Owners.h"
#include <cstring>

namespace sparsec {

namespace {

/// Where the rows of each pair start: [owner][item of the owner][bag][dim of the item].
const int64_t *rowStarts(Context &context, const Owners &owners, const SparsecJagged &routed) {
  int64_t *start = context.scratch<int64_t>(owners.pairs());
  int64_t next = 0;
  for (int64_t p = 0; p < owners.pairs(); ++p) {
    start[p] = next;
    next += (routed.bag_start[p + 1] - routed.bag_start[p]) * owners.item(p).dim;
  }
  return start;
}

int64_t bagsOf(const Owners &owners, const SparsecJagged &routed, int64_t item) {
  int64_t pair = owners.pair(item, 0);
  return routed.bag_start[pair + 1] - routed.bag_start[pair];
}

Status combine(Context &context, const Owners &owners, const SparsecItem *items, int64_t count,
               const SparsecJagged &routed, const float *rows, float *const *out, const int64_t *dim) {
  const int64_t *start = rowStarts(context, owners, routed);
  const float **source = context.scratch<const float *>(owners.pairs());
  SparsecCombine *argument = context.scratch<SparsecCombine>(count);
  Division division;
  for (int64_t i = 0; i < count; ++i) {
    const SparsecItem &item = items[i];
    int64_t bags = bagsOf(owners, routed, i);
    if (bags == 0) // nor need there be buffers
      continue;
    argument[i] = {source, item.count, dim[item.lookup], out[item.lookup] + item.col0};
    for (int64_t o = 0; o < item.count; ++o)
      *source++ = rows + start[owners.pair(i, o)];
    division.add(i, bags, nullptr, int64_t(item.dim) * (item.count + 1));
  }
  division.run(context.pool(),
               [&](int64_t i, int64_t begin, int64_t end) { items[i].combine_kernel(&argument[i], begin, end); });
  return {};
}

Status spread(Context &context, const Owners &owners, const SparsecItem *items, int64_t count,
              const SparsecJagged &routed, const float *const *gradient, const int64_t *dim, float *rows) {
  const int64_t *start = rowStarts(context, owners, routed);
  Division division;
  for (int64_t i = 0; i < count; ++i)
    division.add(i, bagsOf(owners, routed, i), nullptr, int64_t(items[i].dim) * (items[i].count + 1));
  division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
    const SparsecItem &item = items[i];
    for (int64_t bag = begin; bag < end; ++bag) {
      const float *from = gradient[item.lookup] + bag * dim[item.lookup] + item.col0;
      for (int64_t o = 0; o < item.count; ++o)
        std::memcpy(rows + start[owners.pair(i, o)] + bag * item.dim, from, size_t(item.dim) * sizeof(float));
    }
  });
  return {};
}

} // namespace

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_combine_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                const SparsecJagged *routed, const float *rows, float *const *out, const int64_t *dim) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count);
    return owners ? combine(context, *owners, items, count, *routed, rows, out, dim) : owners.status();
  });
}

int32_t sparsec_spread_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                               const SparsecJagged *routed, const float *const *gradient, const int64_t *dim,
                               float *rows) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count);
    return owners ? spread(context, *owners, items, count, *routed, gradient, dim, rows) : owners.status();
  });
}

} // extern "C"
