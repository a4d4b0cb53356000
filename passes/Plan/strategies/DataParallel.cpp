// Every rank holds the whole table: no exchange, gradients summed over all ranks.
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec::plan;

namespace {
struct DataParallel : Strategy {
  StringRef name() const override { return "data_parallel"; }
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
  static const DataParallel strategy;
  return strategy;
}
