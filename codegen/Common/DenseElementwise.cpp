// Element-wise dense ops as linalg.generic on tensors: fusion joins them.
#include "codegen/Common/DenseLowering.h"
#include "codegen/Common/FloatMath.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;
using rec::Activation;

Value codegen::activation(ImplicitLocOpBuilder &b, Activation kind, Value x) {
  switch (kind) {
  case Activation::None:
    return x;
  case Activation::Relu: // NaN stays NaN
    return arith::MaximumFOp::create(b, x, number(b, 0, x.getType()));
  case Activation::Sigmoid:
    return emitSigmoid(b, x);
  case Activation::Tanh:
    return emitTanh(b, x);
  }
  llvm_unreachable("an activation");
}

/// The gradient before the activation, from `g` behind it and its output y.
static Value activationGradient(ImplicitLocOpBuilder &b, Activation kind, Value g, Value y) {
  Value one = number(b, 1, y.getType());
  switch (kind) {
  case Activation::None:
    return g;
  case Activation::Relu: {
    Value zero = number(b, 0, y.getType());
    Value on = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, y, zero);
    return arith::SelectOp::create(b, on, g, zero);
  }
  case Activation::Sigmoid: {
    Value slope = arith::MulFOp::create(b, y, arith::SubFOp::create(b, one, y));
    return arith::MulFOp::create(b, g, slope);
  }
  case Activation::Tanh: {
    Value slope = arith::SubFOp::create(b, one, arith::MulFOp::create(b, y, y));
    return arith::MulFOp::create(b, g, slope);
  }
  }
  llvm_unreachable("an activation");
}

static SmallVector<Value> lowerActivate(ImplicitLocOpBuilder &b, rec::ActivateOp op) {
  if (op.getActivation() == Activation::None)
    return {op.getX()};
  return {elementwise(b, {op.getX()}, tensorType(op.getY()), [&](ImplicitLocOpBuilder &ib, ValueRange x) {
    return activation(ib, op.getActivation(), x[0]);
  })};
}

static SmallVector<Value> lowerActivateGrad(ImplicitLocOpBuilder &b, rec::ActivateGradOp op) {
  if (op.getActivation() == Activation::None)
    return {op.getGradient()};
  return {elementwise(b, {op.getGradient(), op.getY()}, tensorType(op.getResult()),
                      [&](ImplicitLocOpBuilder &ib, ValueRange in) {
                        return activationGradient(ib, op.getActivation(), in[0], in[1]);
                      })};
}

/// Operands of one shape joined from left to right by an arith op.
template <typename ArithOp> static Value join(ImplicitLocOpBuilder &b, ValueRange inputs) {
  if (inputs.size() == 1)
    return inputs[0];
  return elementwise(b, inputs, tensorType(inputs[0]), [](ImplicitLocOpBuilder &ib, ValueRange in) {
    Value result = in[0];
    for (Value next : in.drop_front())
      result = ArithOp::create(ib, result, next);
    return result;
  });
}

static SmallVector<Value> lowerAdd(ImplicitLocOpBuilder &b, rec::AddOp op) {
  return {join<arith::AddFOp>(b, op.getInputs())};
}
static SmallVector<Value> lowerSubtract(ImplicitLocOpBuilder &b, rec::SubtractOp op) {
  return {join<arith::SubFOp>(b, {op.getLeft(), op.getRight()})};
}
static SmallVector<Value> lowerMultiply(ImplicitLocOpBuilder &b, rec::MultiplyOp op) {
  return {join<arith::MulFOp>(b, op.getInputs())};
}
static SmallVector<Value> lowerScale(ImplicitLocOpBuilder &b, rec::ScaleOp op) {
  Value factor = number(b, op.getFactor().convertToDouble(), b.getF32Type());
  return {elementwise(b, {op.getX()}, tensorType(op.getY()), [&](ImplicitLocOpBuilder &ib, ValueRange x) -> Value {
    return arith::MulFOp::create(ib, x[0], factor);
  })};
}

/// Every row times its own number: scale [batch] is read by row.
static SmallVector<Value> lowerScaleBags(ImplicitLocOpBuilder &b, rec::ScaleBagsOp op) {
  auto row = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  return {elementwise(
      b, {op.getRows(), op.getScale()}, tensorType(op.getResult()),
      [](ImplicitLocOpBuilder &ib, ValueRange in) -> Value { return arith::MulFOp::create(ib, in[0], in[1]); },
      {b.getMultiDimIdentityMap(2), row})};
}

void codegen::populateElementwiseLowerings(RewritePatternSet &patterns) {
  addLowering(patterns, lowerActivate);
  addLowering(patterns, lowerActivateGrad);
  addLowering(patterns, lowerAdd);
  addLowering(patterns, lowerSubtract);
  addLowering(patterns, lowerMultiply);
  addLowering(patterns, lowerScale);
  addLowering(patterns, lowerScaleBags);
}
