// Each of k ranks holds a range of columns of all rows.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct ColumnWise : Strategy {
  StringRef name() const override { return "column_wise"; }
  PlacedBy placedBy() const override { return PlacedBy::Rank; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_column_wise() ? std::optional(choiceOf(block.column_wise().rank())) : std::nullopt;
  }
  void write(const Choice &choice, sparsec::Placement &block) const override {
    block.mutable_column_wise()->mutable_rank()->Assign(choice.places.begin(), choice.places.end());
  }
  std::string refusal(const TableFacts &table, const GroupShape &group, const Choice &choice) const override {
    return columnRefusal(table, choice, group.ranks(), "rank");
  }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &choice) const override {
    SmallVector<sparsec::rec::PartAttr> parts;
    for (auto [i, rank] : llvm::enumerate(choice.places)) {
      auto [column, width] = columnRange(table.dim, choice.places.size(), i);
      parts.push_back(ownedPart(group, column, width, rank, 1));
    }
    return parts;
  }
  SmallVector<Choice> choices(const TableFacts &table, const GroupShape &group,
                              ArrayRef<int64_t> leastLoaded) const override {
    return powersOfTwo(std::min(table.dim, group.ranks()), leastLoaded);
  }
};
} // namespace

const Strategy &sparsec::plan::columnWise() {
  static const ::ColumnWise strategy; // not the message of plan files
  return strategy;
}
