// What an op says of a symbol must agree with the symbol.
#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec::rec;

/// The symbol of kind `Symbol` that `user` names; null after an error.
template <typename Symbol>
static Symbol symbolOf(SymbolTableCollection &symbols, Operation *user, FlatSymbolRefAttr name) {
  auto found = symbols.lookupNearestSymbolFrom<Symbol>(user, name);
  if (!found)
    user->emitOpError("expected ") << name << " to be a `" << Symbol::getOperationName() << "`";
  return found;
}

LogicalResult InputOp::verifySymbolUses(SymbolTableCollection &symbols) {
  int64_t width = 0, columns = cast<RankedTensorType>(getValues().getType()).getDimSize(1);
  for (auto name : getFeatures().getAsRange<FlatSymbolRefAttr>()) {
    auto feature = symbolOf<FeatureOp>(symbols, *this, name);
    if (!feature)
      return failure();
    if (feature.getIds() != 0)
      return emitOpError("expected number features, but ") << name << " makes ids";
    width += feature.getWidth();
  }
  if (width != columns)
    return emitOpError("expected a result of ") << width << " columns, but got " << getValues().getType();
  return success();
}

LogicalResult LabelsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbolOf<LabelOp>(symbols, *this, getLabelAttr()))
    return failure();
  if (cast<RankedTensorType>(getValues().getType()).getDimSize(1) != 1)
    return emitOpError("expected one column, but got ") << getValues().getType();
  return success();
}

LogicalResult IdsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto feature = symbolOf<FeatureOp>(symbols, *this, getFeatureAttr());
  if (!feature)
    return failure();
  if (feature.getIds() == 0)
    return emitOpError("expected a feature that makes ids, but ") << getFeatureAttr() << " is a number";
  if (!cast<JaggedType>(getIds().getType()).isOneFeature())
    return emitOpError("expected the ids of one feature, but got ") << getIds().getType();
  return success();
}

LogicalResult TakeOverOp::verifySymbolUses(SymbolTableCollection &) {
  HandOverOp other = getHandOver();
  if (!other)
    return emitOpError("expected ") << getFromAttr() << " to be a function with a `rec.hand_over`";
  if (other->getOperandTypes() != (*this)->getResultTypes())
    return emitOpError("takes ") << getResultTypes() << ", but " << getFromAttr() << " hands over "
                                 << other.getValues().getTypes();
  return success();
}

LogicalResult HandleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto table = symbolOf<TableOp>(symbols, *this, getTableAttr());
  if (!table)
    return failure();
  auto expected = TableType::get(getContext(), table.getRows(), table.getDim());
  if (getHandle().getType() != expected)
    return emitOpError("expected a result of type ") << expected << ", but got " << getHandle().getType();
  return success();
}

/// `value` has the type of the parameter.
static LogicalResult verifyParam(SymbolTableCollection &symbols, Operation *user, FlatSymbolRefAttr name,
                                 StringRef what, Value value) {
  auto param = symbolOf<ParamOp>(symbols, user, name);
  if (!param)
    return failure();
  if (value.getType() != param.getTensorType())
    return user->emitOpError("expected ")
           << what << " of type " << param.getTensorType() << ", but got " << value.getType();
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParam(symbols, *this, getParamAttr(), "a result", getValue());
}
LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParam(symbols, *this, getParamAttr(), "a gradient", getGradient());
}

LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(bool(symbolOf<ScheduleOp>(symbols, *this, getScheduleAttr())));
}
LogicalResult LearningRateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(bool(symbolOf<ScheduleOp>(symbols, *this, getScheduleAttr())));
}
LogicalResult OutputOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(bool(symbolOf<TaskOp>(symbols, *this, getTaskAttr())));
}
LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(bool(symbolOf<LabelOp>(symbols, *this, getLabelAttr())));
}

/// The task a loss names, if it names one, has this loss and weight.
template <typename LossOp> static LogicalResult verifyTask(SymbolTableCollection &symbols, LossOp op, Loss loss) {
  if (!op.getTaskAttr())
    return success();
  auto task = symbolOf<TaskOp>(symbols, op, op.getTaskAttr());
  if (!task)
    return failure();
  if (task.getLoss() != loss)
    return op.emitOpError("is not the loss of ")
           << op.getTaskAttr() << ", which is `" << stringifyLoss(task.getLoss()) << "`";
  if (task.getWeight() != op.getWeight())
    return op.emitOpError("expected the weight of ")
           << op.getTaskAttr() << ", " << task.getWeightAttr() << ", but got " << op.getWeightAttr();
  return success();
}
LogicalResult BceOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyTask(symbols, *this, Loss::Bce); }
LogicalResult MseOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyTask(symbols, *this, Loss::Mse); }
