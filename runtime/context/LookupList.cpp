#include "LookupList.h"
#include "RowPlaces.h"
#include <fmt/format.h>

namespace sparsec {

bool inside(const PartLookup &lookup, int64_t begin, int64_t end) {
  const int64_t *offsets = lookup.ids->offsets + lookup.first;
  bool good = true;
  for (int64_t p = offsets[begin]; p < offsets[end]; ++p)
    good &= uint64_t(lookup.ids->values[p] - lookup.held->row0) < uint64_t(lookup.held->rows);
  return good;
}

Status foreignRows(const Context &context, const PartLookup &lookup) {
  return Status::error(fmt::format("table `{}`: rank {} holds rows [{}, {}), but was asked for others",
                                   context.program().tables[lookup.table].name, context.rank(), lookup.held->row0,
                                   lookup.held->row0 + lookup.held->rows));
}

/// Finds the parts.
static Result<std::span<PartLookup>> hold(Context &context, std::span<PartLookup> lookups) {
  for (PartLookup &lookup : lookups) {
    lookup.held = context.tables().part(lookup.table, lookup.part);
    if (!lookup.held)
      return Status::error(fmt::format("rank {} looks into part {} of table {}, which it does not hold", context.rank(),
                                       lookup.part, lookup.table));
  }
  return lookups;
}

Result<std::span<PartLookup>> localLookups(Context &context, const SparsecLocalItem *items, int64_t n) {
  PartLookup *lookups = context.scratch<PartLookup>(n);
  for (int64_t i = 0; i < n; ++i)
    lookups[i] = {items[i].kernel,    items[i].table, items[i].part, nullptr, items[i].ids, 0,
                  items[i].ids->bags, items[i].out};
  return hold(context, {lookups, size_t(n)});
}

Result<std::span<PartLookup>> servedLookups(Context &context, const Owners &owners, const SparsecJagged &received,
                                            float *out) {
  int64_t mine = owners.mine();
  const int64_t *place = servedPlaces(context, owners, received);
  PartLookup *lookups = context.scratch<PartLookup>(owners.ranks() * mine);
  for (int64_t k = 0; k < owners.ranks() * mine; ++k) {
    const SparsecItem &item = owners.myItem(k % mine);
    int64_t first = received.bag_start[k], bags = received.bag_start[k + 1] - first;
    lookups[k] = {item.lookup_kernel, item.table, item.part, nullptr, &received, first, bags, out + place[k]};
  }
  return hold(context, {lookups, size_t(owners.ranks() * mine)});
}

} // namespace sparsec
