#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

static LogicalResult verifyColumns(Operation *op, Value output, Value label) {
  for (Value v : {output, label})
    if (cast<RankedTensorType>(v.getType()).getDimSize(1) != 1)
      return op->emitOpError("expected output and label of one column, but got ") << v.getType();
  if (output.getType() != label.getType())
    return op->emitOpError("expected one batch, but got ") << output.getType() << " and " << label.getType();
  return success();
}

// A loss is used by `minimize` (seed 1) and for reports, which are not differentiated: the seed is always 1.
template <typename Grad, typename Loss> static SmallVector<Value> lossGradient(Loss loss, OpBuilder &builder) {
  Value g = Grad::create(builder, loss.getLoc(), loss.getOutput().getType(), loss.getOutput(), loss.getLabel(),
                         loss.getSize(), loss.getWeightAttr());
  return {g, Value(), Value()};
}

static LogicalResult verifyGradient(Operation *op, Value output, Value label, Value gradient) {
  if (failed(verifyColumns(op, output, label)))
    return failure();
  if (gradient.getType() != output.getType())
    return op->emitOpError("expected a gradient of type ") << output.getType() << ", but got " << gradient.getType();
  return success();
}
LogicalResult BceGradOp::verify() { return verifyGradient(*this, getOutput(), getLabel(), getGradient()); }
LogicalResult MseGradOp::verify() { return verifyGradient(*this, getOutput(), getLabel(), getGradient()); }

LogicalResult BceOp::verify() { return verifyColumns(*this, getOutput(), getLabel()); }
BatchRole BceOp::getBatchRole() { return BatchRole::reduces; }
OpOperand *BceOp::getBatchSizeOperand() { return &getSizeMutable(); }
SmallVector<Value> BceOp::buildGradient(OpBuilder &builder, ValueRange) {
  return lossGradient<BceGradOp>(*this, builder);
}
Value BceOp::buildPrediction(OpBuilder &builder, Value output) {
  return ActivateOp::create(builder, getLoc(), output.getType(), output, Activation::Sigmoid);
}
LogicalResult MseOp::verify() { return verifyColumns(*this, getOutput(), getLabel()); }
BatchRole MseOp::getBatchRole() { return BatchRole::reduces; }
OpOperand *MseOp::getBatchSizeOperand() { return &getSizeMutable(); }
SmallVector<Value> MseOp::buildGradient(OpBuilder &builder, ValueRange) {
  return lossGradient<MseGradOp>(*this, builder);
}
