// Verifiers, batch roles and gradients of the dense layers.
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

static RankedTensorType shaped(Value v) { return cast<RankedTensorType>(v.getType()); }
static int64_t columns(Value v) { return shaped(v).getDimSize(1); }

/// All matrices have as many rows: the samples of one batch.
static LogicalResult verifyBatch(Operation *op, ValueRange matrices) {
  for (Value m : matrices)
    if (shaped(m).getDimSize(0) != shaped(matrices[0]).getDimSize(0))
      return op->emitOpError("expected one batch, but got ") << matrices[0].getType() << " and " << m.getType();
  return success();
}

//===- linear ----------------------------------------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  auto weight = shaped(getWeight());
  if (weight.getDimSize(1) != columns(getX()))
    return emitOpError("expected a weight of ") << columns(getX()) << " inputs, but got " << weight;
  if (columns(getY()) != weight.getDimSize(0))
    return emitOpError("expected a result of ") << weight.getDimSize(0) << " columns, but got " << getY().getType();
  if (getBias() && shaped(getBias()).getDimSize(0) != weight.getDimSize(0))
    return emitOpError("expected a bias of ") << weight.getDimSize(0) << " units, but got " << getBias().getType();
  return verifyBatch(*this, {getX(), getY()});
}
BatchRole LinearOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> LinearOp::buildGradient(OpBuilder &b, ValueRange results) {
  Value g = results[0];
  if (getActivation() != Activation::None)
    g = ActivateGradOp::create(b, getLoc(), g.getType(), g, getY(), getActivationAttr());
  Value gx = MatmulOp::create(b, getLoc(), getX().getType(), g, getWeight(), false, false);
  Value gw = MatmulOp::create(b, getLoc(), getWeight().getType(), g, getX(), true, false);
  SmallVector<Value> gradients = {gx, gw};
  if (getBias())
    gradients.push_back(ColumnSumOp::create(b, getLoc(), getBias().getType(), g));
  return gradients;
}
LogicalResult MatmulOp::verify() {
  auto a = shaped(getA()), b = shaped(getB()), c = shaped(getC());
  bool ta = getTransposeA(), tb = getTransposeB();
  int64_t inner = a.getDimSize(ta ? 0 : 1), other = b.getDimSize(tb ? 1 : 0);
  if (inner != other || c.getDimSize(0) != a.getDimSize(ta ? 1 : 0) || c.getDimSize(1) != b.getDimSize(tb ? 0 : 1))
    return emitOpError("extents do not agree: ") << a << " by " << b << " is not " << c;
  return success();
}
LogicalResult ColumnSumOp::verify() {
  if (shaped(getSum()).getDimSize(0) != columns(getX()))
    return emitOpError("expected ") << columns(getX()) << " sums, but got " << getSum().getType();
  return success();
}

//===- element by element ----------------------------------------------------------------------------------------===//

LogicalResult ActivateOp::verify() { return success(); }
BatchRole ActivateOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> ActivateOp::buildGradient(OpBuilder &b, ValueRange g) {
  if (getActivation() == Activation::None)
    return {g[0]};
  return {ActivateGradOp::create(b, getLoc(), g[0].getType(), g[0], getY(), getActivationAttr())};
}

LogicalResult AddOp::verify() { return getInputs().empty() ? emitOpError("expected an input") : success(); }
BatchRole AddOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> AddOp::buildGradient(OpBuilder &, ValueRange g) {
  return SmallVector<Value>(getInputs().size(), g[0]);
}

LogicalResult SubtractOp::verify() { return success(); }
BatchRole SubtractOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> SubtractOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {g[0], ScaleOp::create(b, getLoc(), g[0].getType(), g[0], b.getF64FloatAttr(-1))};
}

LogicalResult MultiplyOp::verify() { return getInputs().empty() ? emitOpError("expected an input") : success(); }
BatchRole MultiplyOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> MultiplyOp::buildGradient(OpBuilder &b, ValueRange g) {
  SmallVector<Value> gradients;
  for (unsigned i = 0; i < getInputs().size(); ++i) {
    SmallVector<Value> factors(getInputs());
    factors[i] = g[0];
    gradients.push_back(MultiplyOp::create(b, getLoc(), g[0].getType(), factors));
  }
  return gradients;
}

LogicalResult ScaleOp::verify() { return success(); }
BatchRole ScaleOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> ScaleOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {ScaleOp::create(b, getLoc(), g[0].getType(), g[0], getFactorAttr())};
}

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  return rate >= 0 && rate < 1 ? success() : emitOpError("expected `rate` to lie in [0, 1), but got ") << rate;
}
BatchRole DropoutOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> DropoutOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {DropoutOp::create(b, getLoc(), g[0].getType(), g[0], getFirst(), getStep(), getRateAttr(), getStreamAttr(),
                            getSeedAttr()),
          Value(), Value()};
}

//===- columns ---------------------------------------------------------------------------------------------------===//

LogicalResult RowSumOp::verify() {
  if (columns(getSum()) != 1)
    return emitOpError("expected one column, but got ") << getSum().getType();
  return verifyBatch(*this, {getX(), getSum()});
}
BatchRole RowSumOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> RowSumOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {BroadcastColumnsOp::create(b, getLoc(), getX().getType(), g[0])};
}
LogicalResult BroadcastColumnsOp::verify() {
  if (columns(getX()) != 1)
    return emitOpError("expected one column, but got ") << getX().getType();
  return verifyBatch(*this, {getX(), getY()});
}
BatchRole BroadcastColumnsOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> BroadcastColumnsOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {RowSumOp::create(b, getLoc(), getX().getType(), g[0])};
}

LogicalResult ConcatOp::verify() {
  int64_t width = 0;
  for (Value input : getInputs())
    width += columns(input);
  if (getInputs().empty() || width != columns(getResult()))
    return emitOpError("expected a result of ") << width << " columns, but got " << getResult().getType();
  SmallVector<Value> matrices(getInputs());
  matrices.push_back(getResult());
  return verifyBatch(*this, matrices);
}
BatchRole ConcatOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> ConcatOp::buildGradient(OpBuilder &b, ValueRange g) {
  SmallVector<Value> gradients;
  int64_t begin = 0;
  for (Value input : getInputs()) {
    gradients.push_back(SliceOp::create(b, getLoc(), input.getType(), g[0], b.getI64IntegerAttr(begin)));
    begin += columns(input);
  }
  return gradients;
}

static LogicalResult verifyInside(Operation *op, Value wide, Value narrow, int64_t begin) {
  if (begin < 0 || begin + columns(narrow) > columns(wide))
    return op->emitOpError("columns ") << begin << " to " << begin + columns(narrow) << " are not inside "
                                       << wide.getType();
  return verifyBatch(op, {wide, narrow});
}
LogicalResult SliceOp::verify() { return verifyInside(*this, getX(), getY(), getBegin()); }
BatchRole SliceOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> SliceOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {PadColumnsOp::create(b, getLoc(), getX().getType(), g[0], getBeginAttr())};
}
LogicalResult PadColumnsOp::verify() { return verifyInside(*this, getY(), getX(), getBegin()); }
BatchRole PadColumnsOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> PadColumnsOp::buildGradient(OpBuilder &b, ValueRange g) {
  return {SliceOp::create(b, getLoc(), getX().getType(), g[0], getBeginAttr())};
}

//===- interaction -----------------------------------------------------------------------------------------------===//

static LogicalResult verifyPairs(Operation *op, ValueRange inputs, Value pairs, bool self, StringRef what) {
  int64_t n = inputs.size(), expected = n * (n - 1) / 2 + (self ? n : 0);
  for (Value input : inputs)
    if (input.getType() != inputs[0].getType())
      return op->emitOpError("expected inputs of one type, but got ")
             << inputs[0].getType() << " and " << input.getType();
  if (n == 0 || columns(pairs) != expected)
    return op->emitOpError("expected a ") << what << " of " << expected << " columns, but got " << pairs.getType();
  return verifyBatch(op, {inputs[0], pairs});
}
LogicalResult DotInteractionOp::verify() { return verifyPairs(*this, getInputs(), getPairs(), getSelf(), "result"); }
LogicalResult DotInteractionGradOp::verify() {
  if (failed(verifyPairs(*this, getInputs(), getGradient(), getSelf(), "gradient")))
    return failure();
  if (getResultTypes() != getInputs().getTypes())
    return emitOpError("expected results of types ") << getInputs().getTypes() << ", but got " << getResultTypes();
  return success();
}
BatchRole DotInteractionOp::getBatchRole() { return BatchRole::perSample; }
SmallVector<Value> DotInteractionOp::buildGradient(OpBuilder &b, ValueRange g) {
  auto grad = DotInteractionGradOp::create(b, getLoc(), getInputs().getTypes(), g[0], getInputs(), getSelf());
  return SmallVector<Value>(grad.getResults());
}
