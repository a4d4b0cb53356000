// Who owns what in one exchange: for each rank of the axes its items, in order; for each item its owners.
#pragma once
#include "sparsec/Context.h"
#include <span>

namespace sparsec {

/// A pair is one (rank, item of the rank); pairs are numbered by rank, then item: the order of bags in routed ids and
/// of rows that come back.
class Owners {
public:
  /// Errors: an item that names ranks outside the axes or has negative sizes; with `inNode` also one whose owners are
  /// not the ranks of one node. Lives in ragged memory of `context`.
  static Result<Owners> create(Context &, int32_t axes, const SparsecItem *, int64_t items, bool inNode = false);

  /// Errors: the ranks of `axes` are not a whole group, nodes and their ranks.
  static Status checkGroup(const Context &, int32_t axes);

  std::span<const SparsecItem> all() const { return items; }
  /// Rows go back in two steps.
  bool inNode() const { return twoSteps; }
  int64_t ranks() const { return rankCount; }
  int64_t me() const { return self; }
  int64_t pairs() const { return first[rankCount]; }
  /// Pairs of rank r: [firstPair(r), firstPair(r + 1)).
  int64_t firstPair(int64_t rank) const { return first[rank]; }
  const SparsecItem &item(int64_t pair) const { return items[itemOf[pair]]; }
  /// The pair of an item's owner, both by number (owner 0 is rank `first` of the item).
  int64_t pair(int64_t item, int64_t owner) const { return pairOf[start[item] + owner]; }
  /// Ranks that rows of an item come from: its owners, or the one of their node that has my sums.
  int64_t sources(int64_t item) const { return twoSteps ? 1 : items[item].count; }
  /// Bags of an item in routed ids.
  int64_t bags(const SparsecJagged &routed, int64_t item) const {
    int64_t first = pair(item, 0);
    return routed.bag_start[first + 1] - routed.bag_start[first];
  }
  int64_t mine() const { return first[self + 1] - first[self]; }
  const SparsecItem &myItem(int64_t i) const { return item(first[self] + i); }

private:
  std::span<const SparsecItem> items;
  bool twoSteps = false;
  int64_t rankCount = 0, self = 0;
  int64_t *first = nullptr;  // [ranks + 1]
  int32_t *itemOf = nullptr; // [pairs]
  int64_t *start = nullptr;  // [items + 1] into pairOf
  int64_t *pairOf = nullptr; // [pairs]
};

} // namespace sparsec
