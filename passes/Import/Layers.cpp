#include "passes/Import/Layers.h"
#include <optional>

using namespace sparsec;
using namespace sparsec::import;
using mlir::Value, mlir::ValueRange, mlir::RankedTensorType;

namespace {

int64_t width(Value v) { return llvm::cast<RankedTensorType>(v.getType()).getDimSize(1); }

std::optional<rec::Activation> activationOf(Activation activation) {
  switch (activation) {
  case LINEAR:
    return rec::Activation::None;
  case RELU:
    return rec::Activation::Relu;
  case SIGMOID:
    return rec::Activation::Sigmoid;
  case TANH:
    return rec::Activation::Tanh;
  default:
    return std::nullopt;
  }
}

} // namespace

bool LayerImporter::hasDropout(const Layer &layer) { return layer.has_dropout() || layer.mlp().dropout() > 0; }

Value LayerImporter::import(const Layer &layer, const LayerInputs &inputs) {
  const std::string &name = layer.name(0);
  switch (layer.kind_case()) {
  case Layer::kLinear: {
    const Linear &linear = layer.linear();
    return this->linear(inputs.joined(), linear.units(), linear.activation(),
                        {"layer/" + name, &linear.weight(), linear.use_bias() ? &linear.bias() : nullptr});
  }
  case Layer::kMlp:
    return mlp(inputs.joined(), layer.mlp(), name);
  case Layer::kCross:
    return cross(inputs.joined(), layer.cross(), name);
  case Layer::kActivate:
    return activate(inputs.joined(), layer.activate().activation());
  case Layer::kDropout:
    return dropout(inputs.joined(), layer.dropout().rate(), name);
  case Layer::kSlice:
    return slice(inputs.joined(), layer.slice());
  case Layer::kSum:
    return rowSum(inputs.joined());
  case Layer::kMean:
    return mean(inputs.joined());
  case Layer::kConcat:
    return inputs.joined();
  case Layer::kAdd:
    return add(inputs.alone());
  case Layer::kMultiply:
    return multiply(inputs.alone());
  case Layer::kDot:
    return dot(inputs.alone(), layer.dot().self());
  case Layer::kFm:
    return fm(inputs.alone());
  case Layer::kSubtract: {
    auto sides = inputs.alone();
    return rec::SubtractOp::create(b, sides[0].getType(), sides[0], sides[1]);
  }
  default:
    mlir::emitError(b.getLoc(), "the kind of layer `") << name << "` is not supported";
    return {};
  }
}

//===- layers with parameters ------------------------------------------------------------------------------------===//

Value LayerImporter::linear(Value x, int64_t units, Activation activation, const Weights &weights) {
  auto known = activationOf(activation);
  if (!known) {
    mlir::emitError(b.getLoc(), "activation ") << Activation_Name(activation) << " is not supported";
    return {};
  }
  int64_t in = width(x);
  Value weight = parameter(weights.name + "/weight", {units, in}, initAttr(b, *weights.weight, in, units));
  if (!weight)
    return {};
  Value bias;
  if (weights.bias)
    bias = parameter(weights.name + "/bias", {units}, initAttr(b, *weights.bias, in, units));
  return rec::LinearOp::create(b, matrix(units), x, weight, bias, *known);
}

Value LayerImporter::mlp(Value x, const Mlp &mlp, const std::string &name) {
  Init zero;
  zero.set_constant(0);
  for (int i = 0; i < mlp.units_size(); ++i) {
    std::string part = name + "/" + std::to_string(i);
    x = linear(x, mlp.units(i), mlp.activation(), {"layer/" + part, &mlp.weight(), &zero});
    if (x && mlp.dropout() > 0)
      x = dropout(x, mlp.dropout(), part);
    if (!x)
      return {};
  }
  return x;
}

// x(l+1) = x0 * (U (V x(l)) + b) + x(l), with one full matrix where no rank is given (DCN-V2, arXiv 2008.13535).
Value LayerImporter::cross(Value x0, const Cross &cross, const std::string &name) {
  Init glorot, zero;
  glorot.set_scaled(Init::GLOROT_UNIFORM);
  zero.set_constant(0);
  Value x = x0;
  for (int64_t i = 0; i < cross.layers(); ++i) {
    std::string part = "layer/" + name + "/" + std::to_string(i);
    Value t = x;
    std::string last = "/weight";
    if (cross.has_rank()) {
      Value v = parameter(part + "/v", {cross.rank(), width(x0)}, initAttr(b, glorot, width(x0), cross.rank()));
      if (!v)
        return {};
      t = rec::LinearOp::create(b, matrix(cross.rank()), t, v, Value(), rec::Activation::None);
      last = "/u";
    }
    Value u = parameter(part + last, {width(x0), width(t)}, initAttr(b, glorot, width(t), width(x0)));
    if (!u)
      return {};
    Value bias = parameter(part + "/bias", {width(x0)}, initAttr(b, zero, 0, 0));
    t = rec::LinearOp::create(b, x0.getType(), t, u, bias, rec::Activation::None);
    x = add({multiply({x0, t}), x});
  }
  return x;
}

Value LayerImporter::parameter(const std::string &name, llvm::ArrayRef<int64_t> shape, rec::InitAttr init) {
  auto optimizer = optimizerAttr(b, training.dense_optimizer(), b.getLoc());
  if (!optimizer)
    return {};
  auto type = RankedTensorType::get(shape, b.getF32Type());
  rec::ParamOp::create(symbols, b.getLoc(), "param." + name, name, type, init, optimizer);
  return rec::GetOp::create(b, type, symbol(*b.getContext(), "param", name));
}

//===- layers without --------------------------------------------------------------------------------------------===//

// 0.5 (rowsum((sum v)^2) - rowsum(sum v^2)): all pairs' products in linear time (Rendle 2010).
Value LayerImporter::fm(ValueRange inputs) {
  llvm::SmallVector<Value> squares;
  for (Value v : inputs)
    squares.push_back(multiply({v, v}));
  Value sum = add(inputs);
  Value all = rowSum(multiply({sum, sum})), own = rowSum(add(squares));
  return scale(rec::SubtractOp::create(b, all.getType(), all, own), 0.5);
}

Value LayerImporter::dot(ValueRange inputs, bool self) {
  int64_t n = inputs.size();
  return rec::DotInteractionOp::create(b, matrix(n * (n - 1) / 2 + (self ? n : 0)), inputs, self);
}

Value LayerImporter::mean(Value x) { return scale(rowSum(x), 1.0 / double(width(x))); }

Value LayerImporter::slice(Value x, const Slice &slice) {
  int64_t end = slice.has_end() ? slice.end() : width(x);
  return rec::SliceOp::create(b, matrix(end - slice.begin()), x, slice.begin());
}

Value LayerImporter::dropout(Value x, double rate, const std::string &stream) {
  if (rate == 0)
    return x;
  return rec::DropoutOp::create(b, x.getType(), x, firstSample, step, llvm::APFloat(rate), stream, training.seed());
}

Value LayerImporter::activate(Value x, Activation activation) {
  auto known = activationOf(activation);
  if (!known) {
    mlir::emitError(b.getLoc(), "activation ") << Activation_Name(activation) << " is not supported";
    return {};
  }
  return rec::ActivateOp::create(b, x.getType(), x, *known);
}

Value LayerImporter::concat(ValueRange inputs) {
  if (inputs.size() == 1)
    return inputs[0];
  int64_t columns = 0;
  for (Value input : inputs)
    columns += width(input);
  return rec::ConcatOp::create(b, matrix(columns), inputs);
}

Value LayerImporter::add(ValueRange inputs) {
  return inputs.size() == 1 ? inputs[0] : rec::AddOp::create(b, inputs[0].getType(), inputs).getResult();
}

Value LayerImporter::multiply(ValueRange inputs) {
  return inputs.size() == 1 ? inputs[0] : rec::MultiplyOp::create(b, inputs[0].getType(), inputs).getResult();
}

Value LayerImporter::rowSum(Value x) { return rec::RowSumOp::create(b, matrix(1), x); }
Value LayerImporter::scale(Value x, double factor) {
  return rec::ScaleOp::create(b, x.getType(), x, b.getF64FloatAttr(factor));
}

RankedTensorType LayerImporter::matrix(int64_t width) {
  return RankedTensorType::get({mlir::ShapedType::kDynamic, width}, b.getF32Type());
}
