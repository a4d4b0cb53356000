// Row gradients, and the optimizer steps that they end in.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

FlatSymbolRefAttr codegen::tableOfRows(Value rows) {
  Operation *op = rows.getDefiningOp();
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(op)
      .Case<rec::RowGradientsLocalOp, rec::RowGradientsServedOp>([](auto made) { return made.getTableAttr(); })
      .Case([](rec::JoinRowsOp join) { return tableOfRows(join.getInputs().front()); })
      .Case([&](comm::AllReduceOp sum) { return tableOfRows(sum.getInputs()[cast<OpResult>(rows).getResultNumber()]); })
      .Default([](Operation *) { return FlatSymbolRefAttr(); });
}

Value codegen::updateArray(ImplicitLocOpBuilder &b, ArrayRef<UpdateEntry> entries) {
  RuntimeCalls calls(b);
  auto type = layout::Update::type(b.getContext());
  Value updates = calls.onStack(type, entries.size());
  for (auto [i, entry] : llvm::enumerate(entries)) {
    auto set = [&, at = int32_t(i)](Value value, int32_t field) { calls.store(value, updates, type, {at, field}); };
    set(addressOf(b, entry.kernel), layout::Update::kernel);
    set(calls.constant(entry.table), layout::Update::table);
    set(calls.constant(entry.part), layout::Update::part);
    set(calls.constant(entry.sweep), layout::Update::sweep);
    set(entry.rows, layout::Update::rows);
  }
  return updates;
}

Value codegen::joinRows(ImplicitLocOpBuilder &b, ValueRange rows) {
  if (rows.size() == 1)
    return rows.front();
  RuntimeCalls calls(b);
  return calls.call("sparsec_rows_join", calls.pointer(), {pointerArray(b, rows), calls.constant64(rows.size())});
}

static Results lowerJoinRows(EmbeddingLowering &, ImplicitLocOpBuilder &b, rec::JoinRowsOp,
                             rec::JoinRowsOp::Adaptor in) {
  return SmallVector<Value>{joinRows(b, in.getInputs())};
}

static Results lowerLocal(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::RowGradientsLocalOp op,
                          rec::RowGradientsLocalOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value table = calls.constant(l.index.table(op.getTableAttr())), part = calls.constant(0);
  SmallVector<Value> lists;
  for (auto [ids, gradient] : llvm::zip(in.getIds(), in.getGradients()))
    lists.push_back(
        calls.call("sparsec_row_gradients_local", calls.pointer(), {table, part, ids, calls.address(gradient)}));
  return SmallVector<Value>{joinRows(b, lists)};
}

static Results lowerServed(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::RowGradientsServedOp op,
                           rec::RowGradientsServedOp::Adaptor in) {
  RuntimeCalls calls(b);
  rec::RouteOp route = routeOf(op.getReceived());
  if (!route)
    return op.emitOpError("expected bags of a `rec.route`");
  return SmallVector<Value>{
      calls.call("sparsec_row_gradients_served", calls.pointer(),
                 {calls.axes(op.getAxes()), exchangeItems(l, b, route), calls.constant64(route.getItems().size()),
                  calls.constant(l.index.table(op.getTableAttr())), in.getReceived(), calls.constant(op.getInNode()),
                  calls.address(in.getGradient())})};
}

/// Rows that are stepped: all that a rank has, or those that ids name.
static Work stepWork(FlatSymbolRefAttr kernel, rec::TableOp table, int32_t part, double ids) {
  int64_t dim = table.getPart(part).getDim();
  double numbers = double(dim), rows = double(table.getRows());
  for (const OptimizerState &state : table.getOptimizer().getStates())
    numbers += state.perRow ? 1 : double(dim);
  return segmentWork(kernel, dim, ids, table.getUpdate() == rec::Update::Whole ? rows : std::min(ids, rows), numbers);
}

static Results lowerApplyRows(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::ApplyRowsOp op,
                              rec::ApplyRowsOp::Adaptor in) {
  RuntimeCalls calls(b);
  SmallVector<UpdateEntry> entries;
  SmallVector<Work> works;
  for (auto [handle, rows, before] : llvm::zip(op.getTables(), in.getRows(), op.getRows())) {
    FlatSymbolRefAttr name = rec::tableOf(handle);
    rec::TableOp table = l.table(name);
    OptimizerAttrInterface optimizer = table.getOptimizer();
    bool sweep = table.getUpdate() == rec::Update::Whole;
    if (!table.getParts())
      return op.emitOpError("expected ") << name << " to have parts; run rec-plan-sharding first";
    for (int32_t part = 0, parts = table.getParts()->size(); part < parts; ++part) {
      int64_t dim = table.getPart(part).getDim();
      if (optimizer.needsRowNorm() && dim != int64_t(table.getDim()))
        return op.emitOpError("`") << optimizer.getRule() << "` needs whole rows of " << name << ", but part " << part
                                   << " has " << dim << " of " << table.getDim() << " columns";
      auto kernel = sweep ? l.kernels.sweep(dim, optimizer) : l.kernels.step(dim, optimizer);
      entries.push_back({kernel, l.index.table(name), part, sweep, rows});
      works.push_back(stepWork(kernel, table, part, expectedIds(l, before, part)));
    }
  }
  auto call = calls.check("sparsec_update", {updateArray(b, entries), calls.constant64(entries.size()), op.getFactor(),
                                             op.getScale(), op.getStep()});
  setWork(call, works);
  return SmallVector<Value>();
}

void codegen::addUpdateLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::JoinRowsOp>(lowerJoinRows);
  patterns.add<rec::RowGradientsLocalOp>(lowerLocal);
  patterns.add<rec::RowGradientsServedOp>(lowerServed);
  patterns.add<rec::ApplyRowsOp>(lowerApplyRows);
}
