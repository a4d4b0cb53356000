#include "reference/Reference.h"
#include "reference/Graph.h"
#include "reference/Random.h"
#include "reference/Update.h"
#include <algorithm>
#include <cmath>

namespace sparsec::reference {

/// States of a table hang on the table, those of a weight on the weight.
static std::string statePrefix(const std::string &parameter) {
  bool table = parameter.starts_with("table/");
  return (table ? parameter.substr(0, parameter.rfind('/')) : parameter) + "/";
}

Reference::Reference(const description::Loaded &loaded) : loaded(loaded) {
  for (const Table &table : loaded.model.table()) {
    std::string name = "table/" + table.name(0) + "/weight";
    int64_t rows = table.rows(0), dim = table.dim(0);
    addParameter(name, initialValues(table.init(), loaded.model.training().seed(), name, rows, dim, rows, dim),
                 table.optimizer());
  }
  for (int i = 0; i < loaded.model.layer_size(); ++i)
    addLayer(loaded.model.layer(i), loaded.layers[i].inputWidth);
}

void Reference::addParameter(const std::string &name, Matrix value, const Optimizer &optimizer) {
  addStates(states, statePrefix(name), optimizer, value);
  Parameter &parameter = parameters[name];
  parameter.gradient = Matrix(value.rows, value.cols);
  parameter.touched.resize(value.rows);
  parameter.value = std::move(value);
}

void Reference::addLayer(const Layer &layer, int64_t width) {
  const Training &training = loaded.model.training();
  auto add = [&](const std::string &part, const Init &init, int64_t rows, int64_t cols) {
    std::string name = "layer/" + layer.name(0) + "/" + part;
    addParameter(name, initialValues(init, training.seed(), name, rows, cols, cols, rows), training.dense_optimizer());
  };
  // Of one dimension, which counts as rows; here it is used as one row.
  auto addBias = [&](const std::string &part, const Init &init, int64_t units, int64_t in) {
    std::string name = "layer/" + layer.name(0) + "/" + part;
    Matrix bias = initialValues(init, training.seed(), name, units, 1, in, units);
    std::swap(bias.rows, bias.cols);
    addParameter(name, std::move(bias), training.dense_optimizer());
  };
  Init zero, glorot;
  zero.set_constant(0);
  glorot.set_scaled(Init::GLOROT_UNIFORM);
  if (layer.has_linear()) {
    add("weight", layer.linear().weight(), layer.linear().units(), width);
    if (layer.linear().use_bias())
      addBias("bias", layer.linear().bias(), layer.linear().units(), width);
  }
  for (int i = 0; i < layer.mlp().units_size(); ++i) {
    int64_t units = layer.mlp().units(i);
    add(std::to_string(i) + "/weight", layer.mlp().weight(), units, width);
    addBias(std::to_string(i) + "/bias", zero, units, width);
    width = units;
  }
  for (int64_t i = 0; i < layer.cross().layers(); ++i) {
    std::string part = std::to_string(i);
    if (layer.cross().has_rank()) {
      add(part + "/v", glorot, layer.cross().rank(), width);
      add(part + "/u", glorot, width, layer.cross().rank());
    } else {
      add(part + "/weight", glorot, width, width);
    }
    addBias(part + "/bias", zero, width, width);
  }
}

double Reference::gradients(std::span<const Row> batch) {
  for (auto &[name, parameter] : parameters) {
    std::ranges::fill(parameter.gradient.values, 0);
    std::ranges::fill(parameter.touched, 0);
  }
  Graph graph(loaded, parameters, batch, steps + 1);
  Value *loss = graph.loss();
  graph.reverse(loss);
  return loss->x(0, 0);
}

double Reference::step(std::span<const Row> batch) {
  double loss = gradients(batch);
  ++steps;
  const Training &training = loaded.model.training();
  int64_t warmup = training.schedule().warmup_steps();
  double rate = steps <= warmup ? double(steps) / double(warmup) : 1;
  for (auto &[name, parameter] : parameters) {
    const Optimizer *optimizer = &training.dense_optimizer();
    std::vector<char> moves(parameter.value.rows, true);
    for (const Table &table : loaded.model.table())
      if (name == "table/" + table.name(0) + "/weight") {
        optimizer = &table.optimizer();
        if (table.update() == Table::TOUCHED)
          moves = parameter.touched;
      }
    update(parameter, states, statePrefix(name), *optimizer, moves, steps, rate);
  }
  return loss;
}

std::vector<double> Reference::train(std::span<const Row> rows, int64_t count) {
  auto size = size_t(loaded.model.training().batch_size());
  std::vector<double> losses;
  for (size_t first = 0; int64_t(losses.size()) < count; first = first + size < rows.size() ? first + size : 0)
    losses.push_back(step(rows.subspan(first, std::min(size, rows.size() - first))));
  return losses;
}

std::vector<std::vector<double>> Reference::predict(std::span<const Row> rows) {
  Graph graph(loaded, parameters, rows, 0);
  std::vector<std::vector<double>> predictions(rows.size());
  for (int t = 0; t < loaded.model.task_size(); ++t)
    for (size_t n = 0; n < rows.size(); ++n) {
      double x = graph.tensor(loaded.tasks[t].input)->x(int64_t(n), 0);
      predictions[n].push_back(loaded.model.task(t).has_bce() ? 1 / (1 + std::exp(-x)) : x);
    }
  return predictions;
}

} // namespace sparsec::reference
