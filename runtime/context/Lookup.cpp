// Lookups: kernels over bags of local and served tables.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "RowPlaces.h"
#include <atomic>
#include <fmt/format.h>

namespace sparsec {

namespace {

/// Lookups of table parts: those for one call, all divided over the threads together.
class Lookups {
public:
  Lookups(Context &context, int64_t room) : context(context), lookup(context.scratch<One>(room)) {}

  /// Bags [first, first + bags) of `ids`; out[0, :] is of the first of them.
  Status add(SparsecLookupKernel kernel, int32_t table, int32_t part, const SparsecJagged &ids, int64_t first,
             int64_t bags, float *out) {
    const SparsecPart *held = context.tables().part(table, part);
    if (!held)
      return Status::error(
          fmt::format("rank {} looks into part {} of table {}, which it does not hold", context.rank(), part, table));
    lookup[count] = {
        kernel, {ids.offsets + first, ids.values, ids.weights, held->field[0], held->row0, out}, held->rows, table};
    division.add(count, bags, ids.offsets + first, held->dim);
    count += 1;
    return {};
  }

  Status run() {
    std::atomic<int64_t> bad = -1;
    division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
      if (inside(lookup[i], begin, end))
        lookup[i].kernel(&lookup[i].argument, begin, end);
      else
        bad = i;
    });
    if (bad < 0)
      return {};
    const One &one = lookup[bad];
    return Status::error(fmt::format("table `{}`: rank {} holds rows [{}, {}), but was asked for others",
                                     context.program().tables[one.table].name, context.rank(), one.argument.row0,
                                     one.argument.row0 + one.rows));
  }

private:
  struct One {
    SparsecLookupKernel kernel;
    SparsecLookup argument;
    int64_t rows;
    int32_t table;
  };
  /// Kernels read where an id says; the reader checks ids, and one look more is cheap beside the read.
  static bool inside(const One &one, int64_t begin, int64_t end) {
    bool good = true;
    for (int64_t p = one.argument.offsets[begin]; p < one.argument.offsets[end]; ++p)
      good &= uint64_t(one.argument.values[p] - one.argument.row0) < uint64_t(one.rows);
    return good;
  }
  Context &context;
  Division division;
  One *lookup;
  int64_t count = 0;
};

} // namespace

Status HostEngine::lookupLocal(const SparsecLocalItem *items, int64_t n) {
  Lookups lookups(context, n);
  for (int64_t i = 0; i < n; ++i) {
    const SparsecLocalItem &item = items[i];
    if (Status status = lookups.add(item.kernel.host, item.table, item.part, *item.ids, 0, item.ids->bags, item.out);
        !status)
      return status;
  }
  return lookups.run();
}

Status HostEngine::lookupServed(const Owners &owners, const SparsecJagged &received, float *out) {
  int64_t mine = owners.mine();
  const int64_t *place = servedPlaces(context, owners, received);
  Lookups lookups(context, owners.ranks() * mine);
  for (int64_t r = 0; r < owners.ranks(); ++r)
    for (int64_t i = 0; i < mine; ++i) {
      const SparsecItem &item = owners.myItem(i);
      int64_t first = received.bag_start[r * mine + i], bags = received.bag_start[r * mine + i + 1] - first;
      if (Status status = lookups.add(item.lookup_kernel.host, item.table, item.part, received, first, bags,
                                      out + place[r * mine + i]);
          !status)
        return status;
    }
  return lookups.run();
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
