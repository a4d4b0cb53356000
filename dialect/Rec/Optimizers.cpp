// The formulas of the optimizers, the one place that the compiler has them. `eps` stands outside the root.
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

namespace {

/// Arithmetic on f32 or vectors of f32, scalars spread as needed.
struct Math {
  ImplicitLocOpBuilder &b;
  Type type; // of an element or vector

  Value spread(Value v) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector && v.getType() != type ? vector::BroadcastOp::create(b, vector, v).getResult() : v;
  }
  Value number(double value) const {
    return spread(arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(value))));
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  Value sqrt(Value x) const { return math::SqrtOp::create(b, x); }
  /// w - rate * direction
  Value step(Value weight, Value rate, Value direction) const { return sub(weight, mul(spread(rate), direction)); }
};

/// beta^step, step > 0, in plain arithmetic: the product of beta^(2^i) over the bits of step. Few of these constants
/// are left before they are too small for a double.
Value power(ImplicitLocOpBuilder &b, double beta, Value step) {
  auto number = [&](double value) { return arith::ConstantOp::create(b, b.getF64FloatAttr(value)); };
  auto bits = [&](int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); };
  Value result = number(1);
  double factor = beta;
  for (int64_t bit = 1; bit < int64_t(1) << 62; bit *= 2, factor *= factor) {
    if (factor == 0) {
      Value large = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, step, bits(bit));
      return arith::SelectOp::create(b, large, number(0), result);
    }
    Value set = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, step, bits(bit)), bits(0));
    result = arith::MulFOp::create(b, result, arith::SelectOp::create(b, set, number(factor), number(1)));
  }
  return result;
}

/// 1 - beta^step, in double: float loses it when step is large and beta near 1.
Value biasCorrection(ImplicitLocOpBuilder &b, double beta, Value step) {
  Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
  return arith::TruncFOp::create(b, b.getF32Type(), arith::SubFOp::create(b, one, power(b, beta, step)));
}

} // namespace

StringRef SgdAttr::getRule() const { return "sgd"; }
double SgdAttr::getLearningRate() const { return getLr().getValueAsDouble(); }
SmallVector<std::pair<StringRef, double>> SgdAttr::getHyperparameters() const {
  return {{"lr", getLr().getValueAsDouble()}};
}
SmallVector<OptimizerState> SgdAttr::getStates() const { return {}; }
SmallVector<Value> SgdAttr::emitUpdate(ImplicitLocOpBuilder &b, const UpdateInputs &in) const {
  Math m{b, in.weight.getType()};
  return {m.step(in.weight, in.learningRate, in.gradient)};
}

StringRef AdaGradAttr::getRule() const { return "adagrad"; }
double AdaGradAttr::getLearningRate() const { return getLr().getValueAsDouble(); }
SmallVector<std::pair<StringRef, double>> AdaGradAttr::getHyperparameters() const {
  return {{"lr", getLr().getValueAsDouble()},
          {"eps", getEps().getValueAsDouble()},
          {"start", getStart().getValueAsDouble()}};
}
SmallVector<OptimizerState> AdaGradAttr::getStates() const { return {{"sum", false, getStart().getValueAsDouble()}}; }
SmallVector<Value> AdaGradAttr::emitUpdate(ImplicitLocOpBuilder &b, const UpdateInputs &in) const {
  Math m{b, in.weight.getType()};
  Value sum = m.add(in.states[0], m.mul(in.gradient, in.gradient));
  Value direction = m.div(in.gradient, m.add(m.sqrt(sum), m.number(getEps().getValueAsDouble())));
  return {m.step(in.weight, in.learningRate, direction), sum};
}

StringRef RowWiseAdaGradAttr::getRule() const { return "row_wise_adagrad"; }
double RowWiseAdaGradAttr::getLearningRate() const { return getLr().getValueAsDouble(); }
bool RowWiseAdaGradAttr::needsRowNorm() const { return true; }
SmallVector<std::pair<StringRef, double>> RowWiseAdaGradAttr::getHyperparameters() const {
  return {{"lr", getLr().getValueAsDouble()},
          {"eps", getEps().getValueAsDouble()},
          {"start", getStart().getValueAsDouble()},
          {"moment_scale", getMomentScale()}};
}
SmallVector<OptimizerState> RowWiseAdaGradAttr::getStates() const {
  return {{"sum", true, getStart().getValueAsDouble()}};
}
SmallVector<Value> RowWiseAdaGradAttr::emitUpdate(ImplicitLocOpBuilder &b, const UpdateInputs &in) const {
  Math row{b, b.getF32Type()}, m{b, in.weight.getType()};
  Value sum = row.add(in.states[0], in.rowNorm);
  Value moment = getMomentScale() == 1 ? sum : row.div(sum, row.number(getMomentScale()));
  Value rate = row.div(in.learningRate, row.add(row.sqrt(moment), row.number(getEps().getValueAsDouble())));
  return {m.step(in.weight, rate, in.gradient), sum};
}

StringRef AdamAttr::getRule() const { return "adam"; }
double AdamAttr::getLearningRate() const { return getLr().getValueAsDouble(); }
bool AdamAttr::isZeroGradientNoOp() const { return false; }
SmallVector<std::pair<StringRef, double>> AdamAttr::getHyperparameters() const {
  return {{"lr", getLr().getValueAsDouble()},
          {"beta1", getBeta1().getValueAsDouble()},
          {"beta2", getBeta2().getValueAsDouble()},
          {"eps", getEps().getValueAsDouble()}};
}
SmallVector<OptimizerState> AdamAttr::getStates() const { return {{"m", false, 0}, {"u", false, 0}}; }
SmallVector<Value> AdamAttr::emitUpdate(ImplicitLocOpBuilder &b, const UpdateInputs &in) const {
  Math row{b, b.getF32Type()}, m{b, in.weight.getType()};
  Value g = in.gradient;
  Value first = m.add(m.mul(m.number(getBeta1().getValueAsDouble()), in.states[0]),
                      m.mul(m.number(1 - getBeta1().getValueAsDouble()), g));
  Value second = m.add(m.mul(m.number(getBeta2().getValueAsDouble()), in.states[1]),
                       m.mul(m.number(1 - getBeta2().getValueAsDouble()), m.mul(g, g)));
  Value rate = row.div(in.learningRate, biasCorrection(b, getBeta1().getValueAsDouble(), in.step));
  Value correction = m.spread(biasCorrection(b, getBeta2().getValueAsDouble(), in.step));
  Value direction = m.div(first, m.add(m.sqrt(m.div(second, correction)), m.number(getEps().getValueAsDouble())));
  return {m.step(in.weight, rate, direction), first, second};
}
