// One rank of the group holds the whole table.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct TableWise : Strategy {
  StringRef name() const override { return "table_wise"; }
  PlacedBy placedBy() const override { return PlacedBy::Rank; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_table_wise() ? std::optional(choiceOf(block.table_wise().rank())) : std::nullopt;
  }
  void write(const Choice &choice, sparsec::Placement &block) const override {
    block.mutable_table_wise()->mutable_rank()->Assign(choice.places.begin(), choice.places.end());
  }
  std::string refusal(const TableFacts &, const GroupShape &group, const Choice &choice) const override {
    return placesInside(choice, group.ranks(), "rank");
  }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &choice) const override {
    return {ownedPart(group, 0, table.dim, choice.places[0], 1)};
  }
  SmallVector<Choice> choices(const TableFacts &, const GroupShape &, ArrayRef<int64_t> leastLoaded) const override {
    return {Choice{{leastLoaded[0]}}};
  }
};
} // namespace

const Strategy &sparsec::plan::tableWise() {
  static const ::TableWise strategy; // not the message of plan files
  return strategy;
}
