#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

double codegen::expectedSamples(Operation *op) {
  auto sizes = op->getParentOfType<FunctionOpInterface>().getFunctionBody().getOps<rec::BatchSizeOp>();
  return sizes.empty() ? 0 : double((*sizes.begin()).getMax());
}

ExpectedBags codegen::expectedBags(Value ids) {
  ids = rec::originOf(ids);
  if (auto unique = ids.getDefiningOp<rec::UniqueOp>()) {
    ExpectedBags all = expectedBags(unique.getIds());
    return ids == unique.getAt() ? all : ExpectedBags{all.ids, all.ids};
  }
  auto read = ids.getDefiningOp<rec::IdsOp>();
  auto size = read ? read.getSize().getDefiningOp<rec::BatchSizeOp>() : rec::BatchSizeOp();
  if (!size)
    return {};
  auto feature = SymbolTable::lookupNearestSymbolFrom<rec::FeatureOp>(read, read.getFeatureAttr());
  double samples = double(size.getMax());
  return {samples, feature ? samples * feature.getBagLength().convertToDouble() : samples};
}

ExpectedBags codegen::expectedServed(EmbeddingLowering &l, rec::RouteOp route, rec::ItemAttr item) {
  ExpectedBags asked = expectedBags(route.getIds()[item.getLookup()]);
  return {asked.bags * l.table(item.getTable()).getPart(item.getPart()).getCount(), asked.ids};
}

/// All items, as owners serve them or as askers get them from owners.
static double floatsOf(EmbeddingLowering &l, rec::RouteOp route) {
  double floats = 0;
  for (auto item : route.getItems().getAsRange<rec::ItemAttr>())
    floats += expectedServed(l, route, item).bags * l.table(item.getTable()).getPart(item.getPart()).getDim();
  return floats;
}

double codegen::expectedFloats(EmbeddingLowering &l, Value rows) {
  double shards = double(l.ranks(Builder(rows.getContext()).getStrArrayAttr({"shard"})));
  return llvm::TypeSwitch<Operation *, double>(rows.getDefiningOp())
      .Case([&](rec::LookupServedOp op) { return floatsOf(l, routeOf(op.getReceived())); })
      .Case(
          [&](rec::SpreadSourcesOp op) { return floatsOf(l, routeOf(op.getRouted())) / (op.getInNode() ? shards : 1); })
      .Case([&](rec::SumInNodeOp op) { return expectedFloats(l, op.getRows()) / shards; })
      .Case([&](rec::CopyInNodeOp op) { return expectedFloats(l, op.getGradient()) * shards; })
      .Case([&](comm::AllToAllOp op) { return expectedFloats(l, op.getInput()); })
      .Case([&](comm::WaitOp op) {
        auto start = op.getPending().getDefiningOp<comm::AllToAllStartOp>();
        return start ? expectedFloats(l, start.getInput()) : 0.0;
      })
      .Default([](Operation *) { return 0.0; });
}

static double idsOf(EmbeddingLowering &l, rec::RowGradientsServedOp op, int64_t part) {
  rec::RouteOp route = routeOf(op.getReceived());
  double ids = 0;
  for (auto item : route.getItems().getAsRange<rec::ItemAttr>())
    if (item.getTable() == op.getTableAttr() && item.getPart() == part)
      ids += expectedServed(l, route, item).ids;
  return ids;
}

double codegen::expectedIds(EmbeddingLowering &l, Value rows, int64_t part) {
  auto sum = [](auto values, auto of) {
    double total = 0;
    for (Value value : values)
      total += of(value);
    return total;
  };
  return llvm::TypeSwitch<Operation *, double>(rows.getDefiningOp())
      .Case([&](rec::RowGradientsLocalOp op) { return sum(op.getIds(), [](Value v) { return expectedBags(v).ids; }); })
      .Case([&](rec::RowGradientsServedOp op) { return idsOf(l, op, part); })
      .Case([&](rec::JoinRowsOp op) { return sum(op.getInputs(), [&](Value v) { return expectedIds(l, v, part); }); })
      .Case([&](comm::AllReduceOp op) { // each rank's sums, a row each
        double mine = expectedIds(l, op.getInputs()[cast<OpResult>(rows).getResultNumber()], part);
        double tableRows = double(l.table(tableOfRows(rows)).getRows());
        return double(l.ranks(op.getAxes())) * std::min(mine, tableRows);
      })
      .Default([](Operation *) { return 0.0; });
}

Work codegen::lookupWork(FlatSymbolRefAttr kernel, int64_t dim, ExpectedBags expected) {
  double row = 4.0 * dim;
  return {kernel, expected.ids * (row + 8) + expected.bags * (row + 8), expected.ids * dim, 0, 1};
}

Work codegen::segmentWork(FlatSymbolRefAttr kernel, int64_t dim, double ids, double rows, double numbers) {
  // Of an occurrence: key, place before sorting, address and weight, and the gradient row.
  double bytes = ids * (8 + 4 + 8 + 4 + 4.0 * dim) + (numbers > 0 ? 2 * 4 * numbers : 8 + 4.0 * dim) * rows;
  return {kernel, bytes, ids * dim + 2 * numbers * rows, ids, 1};
}

Work codegen::combineWork(FlatSymbolRefAttr kernel, int64_t dim, double bags, double sources) {
  return {kernel, 4 * dim * bags * (sources + 1), dim * bags * (sources - 1), 0, 1};
}

Work codegen::copyWork(double floats, double items) { return {{}, 2 * 4 * floats, 0, 0, items}; }
