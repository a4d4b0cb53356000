// Lookups: kernels over bags of local and served tables.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "LookupList.h"
#include <atomic>

namespace sparsec {

/// All divided over the threads together.
static Status run(Context &context, std::span<const PartLookup> lookups) {
  SparsecLookup *argument = context.scratch<SparsecLookup>(int64_t(lookups.size()));
  Division division;
  for (size_t i = 0; i < lookups.size(); ++i) {
    const PartLookup &lookup = lookups[i];
    const SparsecJagged &ids = *lookup.ids;
    const int64_t *offsets = ids.offsets + lookup.first;
    argument[i] = {offsets, ids.values, ids.weights, lookup.held->field[0], lookup.held->row0, lookup.out};
    division.add(int64_t(i), lookup.bags, offsets, lookup.held->dim);
  }
  std::atomic<int64_t> bad = -1;
  division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
    if (inside(lookups[i], begin, end))
      lookups[i].kernel.host(&argument[i], begin, end);
    else
      bad = i;
  });
  return bad < 0 ? Status() : foreignRows(context, lookups[bad]);
}

Status HostEngine::lookupLocal(const SparsecLocalItem *items, int64_t n) {
  auto lookups = localLookups(context, items, n);
  return lookups ? run(context, *lookups) : lookups.status();
}

Status HostEngine::lookupServed(const Owners &owners, const SparsecJagged &received, float *out) {
  auto lookups = servedLookups(context, owners, received, out);
  return lookups ? run(context, *lookups) : lookups.status();
}

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_lookup_local(SparsecContext *handle, const SparsecLocalItem *items, int64_t n) {
  return guarded(handle, [&](Context &context) { return context.engine().lookupLocal(items, n); });
}

int32_t sparsec_lookup_served(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                              const SparsecJagged *received, int32_t inNode, float *out) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? context.engine().lookupServed(*owners, *received, out) : owners.status();
  });
}

} // extern "C"
