// Verifiers and gradients of lookups and of the pieces that partition makes of them.
#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

static int64_t columns(Value v) { return cast<RankedTensorType>(v.getType()).getDimSize(1); }
static TableType table(Value handle) { return cast<TableType>(handle.getType()); }

/// `gradient`, or zeros like `value` where nothing arrived.
static Value orZero(OpBuilder &b, Location loc, Value gradient, Value value) {
  return gradient ? gradient : ScaleOp::create(b, loc, value.getType(), value, b.getF64FloatAttr(0)).getResult();
}

static LogicalResult verifyOneFeature(Operation *op, Value ids) {
  if (!cast<JaggedType>(ids.getType()).isOneFeature())
    return op->emitOpError("expected the ids of one feature, but got ") << ids.getType();
  return success();
}

StringRef LookupOp::getReplacingStage() { return "partition"; }
LogicalResult LookupOp::verify() {
  if (failed(verifyOneFeature(*this, getIds())))
    return failure();
  if (columns(getRows()) != table(getTable()).getDim())
    return emitOpError("expected a result of ")
           << table(getTable()).getDim() << " columns, but got " << getRows().getType();
  return success();
}

//===- local -----------------------------------------------------------------------------------------------------===//

LogicalResult LookupLocalOp::verify() {
  if (getIds().size() != getResults().size() || getTableOf().size() != getResults().size())
    return emitOpError("expected as many ids and `table_of` as results, but got ")
           << getIds().size() << ", " << getTableOf().size() << " and " << getResults().size();
  for (auto [which, rows] : llvm::zip(getTableOf(), getResults())) {
    if (which < 0 || which >= int64_t(getTables().size()))
      return emitOpError("expected `table_of` to name one of ") << getTables().size() << " tables, but got " << which;
    if (columns(rows) != table(getTables()[which]).getDim())
      return emitOpError("expected a result of ")
             << table(getTables()[which]).getDim() << " columns, but got " << rows.getType();
  }
  return success();
}
SmallVector<Value> LookupLocalOp::buildGradient(OpBuilder &b, ValueRange g) {
  SmallVector<Value> gradients(getIds().size()); // ids have none
  for (auto [k, handle] : llvm::enumerate(getTables())) {
    SmallVector<Value> ids, rows;
    for (auto [i, which] : llvm::enumerate(getTableOf()))
      if (which == int64_t(k) && g[i]) {
        ids.push_back(getIds()[i]);
        rows.push_back(g[i]);
      }
    if (ids.empty()) {
      gradients.push_back({});
      continue;
    }
    auto type = RowsType::get(b.getContext(), table(handle).getDim(), false);
    gradients.push_back(RowGradientsLocalOp::create(b, getLoc(), type, ids, rows, tableOf(handle)));
  }
  return gradients;
}

LogicalResult RowGradientsLocalOp::verify() {
  if (getIds().size() != getGradients().size())
    return emitOpError("expected as many ids as gradients, but got ")
           << getIds().size() << " and " << getGradients().size();
  int64_t dim = cast<RowsType>(getRows().getType()).getDim();
  for (auto [ids, gradient] : llvm::zip(getIds(), getGradients())) {
    if (failed(verifyOneFeature(*this, ids)))
      return failure();
    if (columns(gradient) != dim)
      return emitOpError("expected gradients of ") << dim << " columns, but got " << gradient.getType();
  }
  return success();
}

//===- exchanged -------------------------------------------------------------------------------------------------===//

LogicalResult RouteOp::verify() {
  int64_t lookups = getIds().size();
  for (auto item : getItems().getAsRange<ItemAttr>())
    if (item.getLookup() < 0 || item.getLookup() >= lookups)
      return emitOpError("expected items of ") << lookups << " lookups, but got " << item;
  return success();
}
LogicalResult ExchangeCountsOp::verify() {
  if (getRouted().getType() != getReceived().getType())
    return emitOpError("expected bags of one type, but got ")
           << getRouted().getType() << " and " << getReceived().getType();
  return success();
}
LogicalResult JoinRowsOp::verify() {
  if (getInputs().empty())
    return emitOpError("expected rows to join");
  for (Value rows : getInputs())
    if (rows.getType() != getRows().getType())
      return emitOpError("expected rows of type ") << getRows().getType() << ", but got " << rows.getType();
  return success();
}
SmallVector<Value> LookupServedOp::buildGradient(OpBuilder &b, ValueRange g) {
  SmallVector<Value> gradients(1); // ids have none
  for (Value handle : getTables()) {
    auto type = RowsType::get(b.getContext(), table(handle).getDim(), false);
    gradients.push_back(RowGradientsServedOp::create(b, getLoc(), type, getReceived(), g[0], getItems(), getAxes(),
                                                     tableOf(handle), getInNodeAttr()));
  }
  return gradients;
}
SmallVector<Value> CombineSourcesOp::buildGradient(OpBuilder &b, ValueRange g) {
  SmallVector<Value> pooled;
  for (auto [gradient, value] : llvm::zip(g, getPooled()))
    pooled.push_back(orZero(b, getLoc(), gradient, value));
  SmallVector<Value> gradients(getNumOperands());
  gradients[0] = SpreadSourcesOp::create(b, getLoc(), getRows().getType(), pooled, getRouted(), getItems(), getAxes(),
                                         getInNodeAttr());
  return gradients;
}

//===- exchanged in two steps ------------------------------------------------------------------------------------===//

static LogicalResult verifyNodes(Operation *op, ArrayAttr axes, bool inNode = true) {
  if (!inNode || axes == Builder(op->getContext()).getStrArrayAttr({"node", "shard"}))
    return success();
  return op->emitOpError("expected axes `node` and `shard` for two steps, but got ") << axes;
}

LogicalResult NodeCountsOp::verify() { return verifyNodes(*this, getAxes()); }
LogicalResult SumInNodeOp::verify() { return verifyNodes(*this, getAxes()); }
LogicalResult CopyInNodeOp::verify() { return verifyNodes(*this, getAxes()); }
LogicalResult LookupServedOp::verify() { return verifyNodes(*this, getAxes(), getInNode()); }
LogicalResult RowGradientsServedOp::verify() { return verifyNodes(*this, getAxes(), getInNode()); }
LogicalResult CombineSourcesOp::verify() { return verifyNodes(*this, getAxes(), getInNode()); }
LogicalResult SpreadSourcesOp::verify() { return verifyNodes(*this, getAxes(), getInNode()); }

SmallVector<Value> SumInNodeOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {CopyInNodeOp::create(b, getLoc(), getRows().getType(), g[0], getAxes()), Value()};
}

//===- pooling at home -------------------------------------------------------------------------------------------===//

BatchRole ScaleBagsOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> ScaleBagsOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {ScaleBagsOp::create(b, getLoc(), g[0].getType(), g[0], getScale()), Value()};
}
LogicalResult BagScaleOp::verify() { return verifyOneFeature(*this, getIds()); }
LogicalResult UniqueOp::verify() {
  if (failed(verifyOneFeature(*this, getIds())))
    return failure();
  for (Value result : getResults())
    if (result.getType() != getIds().getType())
      return emitOpError("expected results of type ") << getIds().getType() << ", but got " << result.getType();
  return success();
}

static LogicalResult verifyPooled(Operation *op, Pooling pooling, Value rows, Value at, Value pooled, StringRef what) {
  if (pooling == Pooling::Mean)
    return op->emitOpError("expected `sum` or `max`; a mean is a sum and `rec.scale_bags`");
  if (columns(rows) != columns(pooled))
    return op->emitOpError("expected a ")
           << what << " of " << columns(rows) << " columns, but got " << pooled.getType();
  return verifyOneFeature(op, at);
}
LogicalResult PoolRowsOp::verify() {
  return verifyPooled(*this, getPooling(), getRows(), getAt(), getPooled(), "result");
}
LogicalResult PoolRowsGradOp::verify() {
  if (failed(verifyPooled(*this, getPooling(), getRows(), getAt(), getGradient(), "gradient")))
    return failure();
  if (getResult().getType() != getRows().getType())
    return emitOpError("expected a result of type ") << getRows().getType() << ", but got " << getResult().getType();
  return success();
}
SmallVector<Value> PoolRowsOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {PoolRowsGradOp::create(b, getLoc(), getRows().getType(), g[0], getRows(), getAt(), getPoolingAttr()),
          Value()};
}
