#include "reference/Update.h"
#include <cmath>
#include <stdexcept>

namespace sparsec::reference {

void addStates(States &states, const std::string &prefix, const Optimizer &optimizer, const Matrix &value) {
  if (optimizer.has_adagrad())
    states[prefix + "adagrad.sum"] = Matrix(value.rows, value.cols, optimizer.adagrad().start());
  if (optimizer.has_row_wise_adagrad())
    states[prefix + "row_wise_adagrad.sum"] = Matrix(value.rows, 1, optimizer.row_wise_adagrad().start());
  if (optimizer.has_adam())
    states[prefix + "adam.m"] = states[prefix + "adam.u"] = Matrix(value.rows, value.cols);
}

namespace {

struct RowStep {
  Parameter &parameter;
  States &states;
  const std::string &prefix;
  int64_t step;
  double rate;

  int64_t columns() const { return parameter.value.cols; }
  double g(int64_t row, int64_t c) const { return parameter.gradient(row, c); }
  void move(int64_t row, int64_t c, double lr, double direction) { parameter.value(row, c) -= lr * rate * direction; }

  void sgd(int64_t row, const Sgd &rule) {
    for (int64_t c = 0; c < columns(); ++c)
      move(row, c, rule.lr(), g(row, c));
  }
  void adagrad(int64_t row, const AdaGrad &rule) {
    Matrix &sum = states.at(prefix + "adagrad.sum");
    for (int64_t c = 0; c < columns(); ++c) {
      sum(row, c) += g(row, c) * g(row, c);
      move(row, c, rule.lr(), g(row, c) / (std::sqrt(sum(row, c)) + rule.eps()));
    }
  }
  void rowWise(int64_t row, const RowWiseAdaGrad &rule) {
    double &sum = states.at(prefix + "row_wise_adagrad.sum")(row, 0);
    for (int64_t c = 0; c < columns(); ++c)
      sum += g(row, c) * g(row, c) / double(columns());
    for (int64_t c = 0; c < columns(); ++c)
      move(row, c, rule.lr(), g(row, c) / (std::sqrt(sum / rule.moment_scale()) + rule.eps()));
  }
  void adam(int64_t row, const Adam &rule) {
    Matrix &m = states.at(prefix + "adam.m"), &u = states.at(prefix + "adam.u");
    for (int64_t c = 0; c < columns(); ++c) {
      m(row, c) = rule.beta1() * m(row, c) + (1 - rule.beta1()) * g(row, c);
      u(row, c) = rule.beta2() * u(row, c) + (1 - rule.beta2()) * g(row, c) * g(row, c);
      double first = m(row, c) / (1 - std::pow(rule.beta1(), double(step)));
      double second = u(row, c) / (1 - std::pow(rule.beta2(), double(step)));
      move(row, c, rule.lr(), first / (std::sqrt(second) + rule.eps()));
    }
  }
};

} // namespace

void update(Parameter &parameter, States &states, const std::string &prefix, const Optimizer &optimizer,
            const std::vector<char> &moves, int64_t step, double rate) {
  RowStep one{parameter, states, prefix, step, rate};
  for (int64_t row = 0; row < parameter.value.rows; ++row) {
    if (!moves[row])
      continue;
    if (optimizer.has_sgd())
      one.sgd(row, optimizer.sgd());
    else if (optimizer.has_adagrad())
      one.adagrad(row, optimizer.adagrad());
    else if (optimizer.has_row_wise_adagrad())
      one.rowWise(row, optimizer.row_wise_adagrad());
    else if (optimizer.has_adam())
      one.adam(row, optimizer.adam());
    else
      throw std::runtime_error("the reference has no such optimizer: " + prefix);
  }
}

} // namespace sparsec::reference
