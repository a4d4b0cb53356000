// Every rank of the group holds a block of ceil(rows / ranks) rows.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct RowWise : Strategy {
  StringRef name() const override { return "row_wise"; }
  std::string refusal(const TableFacts &, const GroupShape &, const Choice &) const override { return ""; }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &) const override {
    return {ownedPart(group, 0, table.dim, 0, group.ranks())};
  }
  SmallVector<Choice> choices(const TableFacts &, const GroupShape &, ArrayRef<int64_t>) const override {
    return {Choice{}};
  }
};
} // namespace

const Strategy &sparsec::plan::rowWise() {
  static const RowWise strategy;
  return strategy;
}
