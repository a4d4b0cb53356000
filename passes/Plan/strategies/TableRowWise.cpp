// The ranks of one node hold blocks of rows.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct TableRowWise : Strategy {
  StringRef name() const override { return "table_row_wise"; }
  PlacedBy placedBy() const override { return PlacedBy::Node; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_table_row_wise() ? std::optional(choiceOf(block.table_row_wise().host())) : std::nullopt;
  }
  void write(const Choice &choice, sparsec::Placement &block) const override {
    block.mutable_table_row_wise()->mutable_host()->Assign(choice.places.begin(), choice.places.end());
  }
  std::string refusal(const TableFacts &, const GroupShape &group, const Choice &choice) const override {
    return placesInside(choice, group.nodes, "host");
  }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &choice) const override {
    return {ownedPart(group, 0, table.dim, choice.places[0] * group.shards, group.shards)};
  }
  SmallVector<Choice> choices(const TableFacts &, const GroupShape &group,
                              ArrayRef<int64_t> leastLoaded) const override {
    if (group.nodes < 2)
      return {}; // the same as row-wise
    return {Choice{{leastLoaded[0] / group.shards}}};
  }
};
} // namespace

const Strategy &sparsec::plan::tableRowWise() {
  static const ::TableRowWise strategy; // not the message of plan files
  return strategy;
}
