// Every rank holds the whole table: no exchange, gradients summed over all ranks.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct DataParallel : Strategy {
  StringRef name() const override { return "data_parallel"; }
  PlacedBy placedBy() const override { return PlacedBy::None; }
  bool replicates() const override { return true; }
  std::optional<Choice> read(const sparsec::Placement &block) const override {
    return block.has_data_parallel() ? std::optional(Choice()) : std::nullopt;
  }
  void write(const Choice &, sparsec::Placement &block) const override { block.mutable_data_parallel(); }
  std::string refusal(const TableFacts &, const GroupShape &, const Choice &) const override { return ""; }
  SmallVector<sparsec::rec::PartAttr> parts(const TableFacts &table, const GroupShape &group,
                                            const Choice &) const override {
    return {sparsec::rec::PartAttr::get(group.axes.getContext(), 0, table.dim, {}, 0, 1)};
  }
  SmallVector<Choice> choices(const TableFacts &, const GroupShape &, ArrayRef<int64_t>) const override {
    return {Choice{}};
  }
};
} // namespace

const Strategy &sparsec::plan::dataParallel() {
  static const ::DataParallel strategy; // not the message of plan files
  return strategy;
}
