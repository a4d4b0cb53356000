#include "reference/Graph.h"
#include "reference/Random.h"
#include <stdexcept>

namespace sparsec::reference {

using description::TensorRef;

static Curve curveOf(Activation activation) {
  switch (activation) {
  case LINEAR:
    return Curve::linear;
  case RELU:
    return Curve::relu;
  case SIGMOID:
    return Curve::sigmoid;
  case TANH:
    return Curve::tanh;
  default:
    throw std::runtime_error("the reference has no " + Activation_Name(activation));
  }
}

Graph::Graph(const description::Loaded &loaded, Parameters &parameters, std::span<const Row> batch, int64_t step)
    : loaded(loaded), parameters(parameters), batch(batch), step(step), features(loaded.features.size()),
      layers(loaded.layers.size()) {
  for (size_t i = 0; i < features.size(); ++i)
    if (loaded.features[i].number)
      features[i] = numbers(int(i));
  for (size_t i = 0; i < loaded.lookups.size(); ++i)
    lookups.push_back(lookup(int(i)));
  for (int index : loaded.layerOrder)
    layers[index] = layer(index);
}

Value *Graph::tensor(TensorRef ref) const {
  return ref.kind == TensorRef::Feature  ? features[ref.index]
         : ref.kind == TensorRef::Lookup ? lookups[ref.index]
                                         : layers[ref.index];
}

Value *Graph::numbers(int feature) {
  Matrix x(int64_t(batch.size()), loaded.features[feature].width);
  for (int64_t n = 0; n < x.rows; ++n)
    for (int64_t c = 0; c < x.cols; ++c)
      x(n, c) = batch[n].numbers[feature].at(c);
  return tape.constant(std::move(x));
}

Value *Graph::lookup(int index) {
  const auto &info = loaded.lookups[index];
  std::vector<const Bag *> bags;
  for (const Row &row : batch)
    bags.push_back(&row.bags[info.feature]);
  Lookup::Pooling pooling = loaded.model.lookup(index).pooling();
  return tape.lookup(parameter("table/" + loaded.model.table(info.table).name(0) + "/weight"), bags,
                     pooling == Lookup::MAX    ? Pooling::max
                     : pooling == Lookup::MEAN ? Pooling::mean
                                               : Pooling::sum);
}

Value *Graph::layer(int index) {
  const Layer &layer = loaded.model.layer(index);
  const std::string &name = layer.name(0);
  std::vector<Value *> inputs;
  for (TensorRef ref : loaded.layers[index].inputs)
    inputs.push_back(tensor(ref));
  switch (layer.kind_case()) {
  case Layer::kAdd:
    return tape.add(inputs);
  case Layer::kMultiply:
    return tape.multiply(inputs);
  case Layer::kDot:
    return tape.dot(inputs, layer.dot().self());
  case Layer::kFm:
    return tape.fm(inputs);
  case Layer::kSubtract:
    return tape.subtract(inputs[0], inputs[1]);
  default:
    break;
  }
  Value *x = tape.concat(inputs);
  switch (layer.kind_case()) {
  case Layer::kConcat:
    return x;
  case Layer::kLinear: {
    Parameter *bias = layer.linear().use_bias() ? &parameter("layer/" + name + "/bias") : nullptr;
    return tape.activate(tape.linear(x, parameter("layer/" + name + "/weight"), bias),
                         curveOf(layer.linear().activation()));
  }
  case Layer::kMlp:
    return mlp(x, layer.mlp(), name);
  case Layer::kCross:
    return cross(x, layer.cross(), name);
  case Layer::kActivate:
    return tape.activate(x, curveOf(layer.activate().activation()));
  case Layer::kDropout:
    return dropout(x, layer.dropout().rate(), name);
  case Layer::kSlice:
    return tape.slice(x, layer.slice().begin(), layer.slice().has_end() ? layer.slice().end() : x->x.cols);
  case Layer::kSum:
    return tape.rowSum(x);
  case Layer::kMean:
    return tape.rowMean(x);
  default:
    throw std::runtime_error("the reference has no such layer: " + name);
  }
}

Value *Graph::mlp(Value *x, const Mlp &mlp, const std::string &name) {
  for (int i = 0; i < mlp.units_size(); ++i) {
    std::string part = name + "/" + std::to_string(i);
    x = tape.linear(x, parameter("layer/" + part + "/weight"), &parameter("layer/" + part + "/bias"));
    x = dropout(tape.activate(x, curveOf(mlp.activation())), mlp.dropout(), part);
  }
  return x;
}

// x(l+1) = x0 * (U (V x(l)) + b) + x(l)
Value *Graph::cross(Value *x0, const Cross &cross, const std::string &name) {
  Value *x = x0;
  for (int64_t i = 0; i < cross.layers(); ++i) {
    std::string part = "layer/" + name + "/" + std::to_string(i);
    Parameter *bias = &parameter(part + "/bias");
    Value *mapped = cross.has_rank()
                        ? tape.linear(tape.linear(x, parameter(part + "/v"), nullptr), parameter(part + "/u"), bias)
                        : tape.linear(x, parameter(part + "/weight"), bias);
    x = tape.add({tape.multiply({x0, mapped}), x});
  }
  return x;
}

Value *Graph::dropout(Value *x, double rate, const std::string &stream) {
  if (rate == 0 || step == 0)
    return x;
  return tape.scaleEach(x, dropoutFactors(stream, loaded.model.training().seed(), rate, step, x->x.rows, x->x.cols));
}

Value *Graph::loss() {
  std::vector<Value *> losses;
  for (int t = 0; t < loaded.model.task_size(); ++t) {
    const Task &task = loaded.model.task(t);
    Matrix labels(int64_t(batch.size()), 1);
    for (int64_t n = 0; n < labels.rows; ++n)
      labels(n, 0) = batch[n].labels[loaded.tasks[t].label];
    Value *output = tensor(loaded.tasks[t].input);
    losses.push_back(task.has_bce() ? tape.binaryCrossEntropy(output, labels, task.weight())
                                    : tape.squaredError(output, labels, task.weight()));
  }
  return tape.add(losses);
}

} // namespace sparsec::reference
