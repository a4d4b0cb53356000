// Rows that come back become the columns of each lookup, summed over the owners of row blocks; and the adjoint.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "RowPlaces.h"
#include "SourceSums.h"
#include <cstring>

namespace sparsec {

Status addSources(Context &context, std::span<const SourceSum> sums) {
  Division division;
  for (size_t i = 0; i < sums.size(); ++i)
    division.add(int64_t(i), sums[i].bags, nullptr, sums[i].dim * (sums[i].argument.sources + 1));
  division.run(context.pool(),
               [&](int64_t i, int64_t begin, int64_t end) { sums[i].kernel.host(&sums[i].argument, begin, end); });
  return {};
}

Status HostEngine::combine(const Owners &owners, const SparsecJagged &routed, const float *rows, float *const *out,
                           const int64_t *dim) {
  return addSources(context, combineSums(context, owners, routed, rows, out, dim).sums);
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
