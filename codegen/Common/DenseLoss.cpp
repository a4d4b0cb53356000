// Losses and their gradients. Sums over samples are taken in double, in order.
#include "codegen/Common/DenseLowering.h"
#include "codegen/Common/FloatMath.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// factor / size in double. A size of 0 has no samples to sum: 1 stands in for it.
static Value perSample(ImplicitLocOpBuilder &b, Value size, double factor) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value atLeastOne = arith::MaxUIOp::create(b, size, one);
  Value count = arith::UIToFPOp::create(b, b.getF64Type(), arith::IndexCastOp::create(b, b.getI64Type(), atLeastOne));
  return arith::DivFOp::create(b, number(b, factor, b.getF64Type()), count);
}

template <typename LossOp> static SmallVector<Value> lowerLoss(ImplicitLocOpBuilder &b, LossOp op, ElementBody term) {
  Value sum = sumInDouble(b, {op.getOutput(), op.getLabel()}, -1, term);
  Value total = tensor::ExtractOp::create(b, sum, ValueRange{});
  Value loss = arith::MulFOp::create(b, total, perSample(b, op.getSize(), op.getWeight().convertToDouble()));
  return {arith::TruncFOp::create(b, b.getF32Type(), loss)};
}

template <typename GradOp>
static SmallVector<Value> lowerLossGrad(ImplicitLocOpBuilder &b, GradOp op, double factor, ElementBody slope) {
  Value scale =
      arith::TruncFOp::create(b, b.getF32Type(), perSample(b, op.getSize(), factor * op.getWeight().convertToDouble()));
  return {elementwise(b, {op.getOutput(), op.getLabel()}, tensorType(op.getGradient()),
                      [&](ImplicitLocOpBuilder &ib, ValueRange in) -> Value {
                        return arith::MulFOp::create(ib, slope(ib, in), scale);
                      })};
}

/// max(x, 0) - x y + log(1 + exp(-|x|))
static Value bceTerm(ImplicitLocOpBuilder &b, ValueRange in) {
  Value x = in[0], y = in[1], zero = number(b, 0, x.getType());
  Value linear = arith::SubFOp::create(b, arith::MaximumFOp::create(b, x, zero), arith::MulFOp::create(b, x, y));
  Value e = emitExp(b, arith::NegFOp::create(b, math::AbsFOp::create(b, x)));
  return arith::AddFOp::create(b, linear, emitLog1p(b, e));
}
static Value difference(ImplicitLocOpBuilder &b, ValueRange in) { return arith::SubFOp::create(b, in[0], in[1]); }

static SmallVector<Value> lowerBce(ImplicitLocOpBuilder &b, rec::BceOp op) { return lowerLoss(b, op, bceTerm); }
static SmallVector<Value> lowerMse(ImplicitLocOpBuilder &b, rec::MseOp op) {
  return lowerLoss(b, op, [](ImplicitLocOpBuilder &ib, ValueRange in) -> Value {
    Value d = difference(ib, in);
    return arith::MulFOp::create(ib, d, d);
  });
}
static SmallVector<Value> lowerBceGrad(ImplicitLocOpBuilder &b, rec::BceGradOp op) {
  return lowerLossGrad(b, op, 1, [](ImplicitLocOpBuilder &ib, ValueRange in) -> Value {
    return arith::SubFOp::create(ib, emitSigmoid(ib, in[0]), in[1]);
  });
}
static SmallVector<Value> lowerMseGrad(ImplicitLocOpBuilder &b, rec::MseGradOp op) {
  return lowerLossGrad(b, op, 2, difference);
}

void codegen::populateLossLowerings(RewritePatternSet &patterns) {
  addLowering(patterns, lowerBce);
  addLowering(patterns, lowerMse);
  addLowering(patterns, lowerBceGrad);
  addLowering(patterns, lowerMseGrad);
}
