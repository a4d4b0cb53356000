// The ranks of one node hold blocks of rows.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct TableRowWise : Strategy {
  StringRef name() const override { return "table_row_wise"; }
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
  static const TableRowWise strategy;
  return strategy;
}
