// Ids to their owners: [destination][item of the destination][bag][position].
#include "Division.h"
#include "Handle.h"
#include "Owners.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace sparsec {

namespace {

/// The first id out of range, by (item, bag, position).
struct BadId {
  std::mutex lock;
  int64_t item = INT64_MAX, position = 0;
  void report(int64_t i, int64_t p) {
    std::lock_guard hold(lock);
    if (i < item || (i == item && p < position)) {
      item = i;
      position = p;
    }
  }
};

class Router {
public:
  Router(Context &context, const Owners &owners, const SparsecItem *items, int64_t count,
         const SparsecJagged *const *ids)
      : context(context), owners(owners), items(items), count(count), ids(ids) {}

  Status run(const SparsecJagged **result) {
    layBags();
    divide([&](int64_t i, int64_t begin, int64_t end) { countIds(i, begin, end); });
    if (bad.item != INT64_MAX)
      return outOfRange();
    for (int64_t b = 0; b < bags; ++b)
      offsets[b + 1] += offsets[b];
    values = context.scratch<int64_t>(offsets[bags]);
    if (weighted)
      weights = context.scratch<float>(offsets[bags]);
    divide([&](int64_t i, int64_t begin, int64_t end) { copyIds(i, begin, end); });
    SparsecJagged *routed = context.scratch<SparsecJagged>(1);
    *routed = {owners.ranks(), -1, bags, bagStart, offsets, values, weights, nullptr};
    *result = routed;
    return {};
  }

private:
  const SparsecJagged &idsOf(int64_t item) const { return *ids[items[item].lookup]; }

  void layBags() {
    bagStart = context.scratch<int64_t>(owners.pairs() + 1);
    bagStart[0] = 0;
    for (int64_t p = 0; p < owners.pairs(); ++p)
      bagStart[p + 1] = bagStart[p] + ids[owners.item(p).lookup]->bags;
    bags = bagStart[owners.pairs()];
    offsets = context.scratch<int64_t>(bags + 1);
    offsets[0] = 0;
    for (int64_t i = 0; i < count; ++i)
      weighted |= idsOf(i).weights != nullptr;
  }

  template <typename Body> void divide(Body &&body) {
    Division division;
    for (int64_t i = 0; i < count; ++i)
      division.add(i, idsOf(i).bags, idsOf(i).offsets, items[i].count == 1 ? 1 : 8);
    division.run(context.pool(), body);
  }

  int64_t blockOf(const SparsecItem &item) const {
    return std::max<int64_t>(1, item.rows / item.count + (item.rows % item.count != 0));
  }

  /// Lengths of bags [begin, end) at every owner of item i.
  void countIds(int64_t i, int64_t begin, int64_t end) {
    const SparsecItem &item = items[i];
    const SparsecJagged &from = idsOf(i);
    int64_t block = blockOf(item);
    for (int64_t o = 0; o < item.count; ++o)
      std::fill_n(offsets + 1 + bagStart[owners.pair(i, o)] + begin, end - begin, 0);
    for (int64_t bag = begin; bag < end; ++bag)
      for (int64_t p = from.offsets[bag]; p < from.offsets[bag + 1]; ++p) {
        int64_t id = from.values[p];
        if (id < 0 || id >= item.rows)
          return bad.report(i, p);
        int64_t owner = item.count == 1 ? 0 : id / block;
        offsets[1 + bagStart[owners.pair(i, owner)] + bag] += 1;
      }
  }

  void copyIds(int64_t i, int64_t begin, int64_t end) {
    const SparsecItem &item = items[i];
    const SparsecJagged &from = idsOf(i);
    int64_t block = blockOf(item);
    std::vector<int64_t> next(item.count); // where the next id of this bag goes, at each owner
    for (int64_t bag = begin; bag < end; ++bag) {
      for (int64_t o = 0; o < item.count; ++o)
        next[o] = offsets[bagStart[owners.pair(i, o)] + bag];
      for (int64_t p = from.offsets[bag]; p < from.offsets[bag + 1]; ++p) {
        int64_t owner = item.count == 1 ? 0 : from.values[p] / block;
        int64_t to = next[owner]++;
        values[to] = from.values[p];
        if (weighted)
          weights[to] = from.weights ? from.weights[p] : 1.0f;
      }
    }
  }

  Status outOfRange() const {
    const SparsecItem &item = items[bad.item];
    int64_t id = idsOf(bad.item).values[bad.position];
    const auto &tables = context.program().tables;
    std::string table =
        item.table >= 0 && size_t(item.table) < tables.size() ? tables[item.table].name : std::to_string(item.table);
    return Status::error(
        fmt::format("table `{}`: expected ids in [0, {}), but got {} at position {} of the ids of lookup {}", table,
                    item.rows, id, bad.position, item.lookup));
  }

  Context &context;
  const Owners &owners;
  const SparsecItem *items;
  int64_t count;
  const SparsecJagged *const *ids;
  int64_t *bagStart = nullptr, *offsets = nullptr, *values = nullptr;
  float *weights = nullptr;
  int64_t bags = 0;
  bool weighted = false;
  BadId bad;
};

} // namespace

} // namespace sparsec

using namespace sparsec;

extern "C" int32_t sparsec_route(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                 const SparsecJagged *const *ids, int64_t lookups, const SparsecJagged **result) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count);
    if (!owners)
      return owners.status();
    for (int64_t i = 0; i < count; ++i)
      if (items[i].lookup < 0 || items[i].lookup >= lookups)
        return Status::error(fmt::format("item {} is of lookup {}, but there are {}", i, items[i].lookup, lookups));
    return Router(context, *owners, items, count, ids).run(result);
  });
}
