// Rows that come back become the columns of each lookup, summed over the owners of row blocks; and the adjoint.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "RowPlaces.h"
#include <cstring>

namespace sparsec {

Status HostEngine::combine(const Owners &owners, const SparsecJagged &routed, const float *rows, float *const *out,
                           const int64_t *dim) {
  const int64_t *place = returnedPlaces(context, owners, routed);
  std::span<const SparsecItem> items = owners.all();
  auto count = int64_t(items.size());
  const float **source = context.scratch<const float *>(owners.pairs());
  SparsecCombine *argument = context.scratch<SparsecCombine>(count);
  Division division;
  for (int64_t i = 0; i < count; ++i) {
    const SparsecItem &item = items[i];
    int64_t bags = owners.bags(routed, i);
    if (bags == 0) // nor need there be buffers
      continue;
    int64_t sources = owners.sources(i);
    argument[i] = {source, sources, dim[item.lookup], out[item.lookup] + item.col0};
    for (int64_t o = 0; o < sources; ++o)
      *source++ = rows + place[owners.pair(i, o)];
    division.add(i, bags, nullptr, int64_t(item.dim) * (sources + 1));
  }
  division.run(context.pool(),
               [&](int64_t i, int64_t begin, int64_t end) { items[i].combine_kernel.host(&argument[i], begin, end); });
  return {};
}

Status HostEngine::spread(const Owners &owners, const SparsecJagged &routed, const float *const *gradient,
                          const int64_t *dim, float *rows) {
  const int64_t *place = returnedPlaces(context, owners, routed);
  std::span<const SparsecItem> items = owners.all();
  Division division;
  for (int64_t i = 0; i < int64_t(items.size()); ++i)
    division.add(i, owners.bags(routed, i), nullptr, int64_t(items[i].dim) * (owners.sources(i) + 1));
  division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
    const SparsecItem &item = items[i];
    for (int64_t bag = begin; bag < end; ++bag) {
      const float *from = gradient[item.lookup] + bag * dim[item.lookup] + item.col0;
      for (int64_t o = 0; o < owners.sources(i); ++o)
        std::memcpy(rows + place[owners.pair(i, o)] + bag * item.dim, from, size_t(item.dim) * sizeof(float));
    }
  });
  return {};
}

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_combine_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                const SparsecJagged *routed, int32_t inNode, const float *rows, float *const *out,
                                const int64_t *dim) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? context.engine().combine(*owners, *routed, rows, out, dim) : owners.status();
  });
}

int32_t sparsec_spread_sources(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                               const SparsecJagged *routed, int32_t inNode, const float *const *gradient,
                               const int64_t *dim, float *rows) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? context.engine().spread(*owners, *routed, gradient, dim, rows) : owners.status();
  });
}

} // extern "C"
