// Every rank of the group holds a block of ceil(rows / ranks) rows.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct RowWise : Strategy {
  StringRef name() const override { return "row_wise"; }
  PlacedBy placedBy() const override { return PlacedBy::None; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_row_wise() ? std::optional(Choice()) : std::nullopt;
  }
  void write(const Choice &, sparsec::Placement &block) const override {
    block.mutable_row_wise()->set_rows(sparsec::RowWise::BLOCKS);
  }
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
  static const ::RowWise strategy; // not the message of plan files
  return strategy;
}
