// Columns over nodes, and in each node blocks of rows over its ranks.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct Grid : Strategy {
  StringRef name() const override { return "grid"; }
  PlacedBy placedBy() const override { return PlacedBy::Node; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_grid() ? std::optional(choiceOf(block.grid().host())) : std::nullopt;
  }
  void write(const Choice &choice, sparsec::Placement &block) const override {
    block.mutable_grid()->mutable_host()->Assign(choice.places.begin(), choice.places.end());
  }
  std::string refusal(const TableFacts &table, const GroupShape &group, const Choice &choice) const override {
    return columnRefusal(table, choice, group.nodes, "host");
  }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &choice) const override {
    SmallVector<sparsec::rec::PartAttr> parts;
    for (auto [i, node] : llvm::enumerate(choice.places)) {
      auto [column, width] = columnRange(table.dim, choice.places.size(), i);
      parts.push_back(ownedPart(group, column, width, node * group.shards, group.shards));
    }
    return parts;
  }
  SmallVector<Choice> choices(const TableFacts &table, const GroupShape &group,
                              ArrayRef<int64_t> leastLoaded) const override {
    if (group.nodes < 2)
      return {}; // the same as row-wise
    SmallVector<int64_t> nodes;
    for (int64_t rank : leastLoaded)
      if (!llvm::is_contained(nodes, rank / group.shards))
        nodes.push_back(rank / group.shards);
    return powersOfTwo(std::min(table.dim, group.nodes), nodes);
  }
};
} // namespace

const Strategy &sparsec::plan::grid() {
  static const ::Grid strategy; // not the message of plan files
  return strategy;
}
