#include "reference/Tape.h"
#include <cmath>

namespace sparsec::reference {

void Tape::reverse(Value *loss) {
  for (double &g : loss->g.values)
    g = 1;
  for (auto it = derivatives.rbegin(); it != derivatives.rend(); ++it)
    (*it)();
}

Value *Tape::constant(Matrix x) {
  return record(std::move(x), [](const Matrix &) {});
}

Value *Tape::linear(Value *x, Parameter &weight, Parameter *bias) {
  const Matrix &w = weight.value;
  Matrix y(x->x.rows, w.rows);
  for (int64_t n = 0; n < y.rows; ++n)
    for (int64_t u = 0; u < y.cols; ++u) {
      double sum = bias ? bias->value.values[u] : 0;
      for (int64_t i = 0; i < w.cols; ++i)
        sum += x->x(n, i) * w(u, i);
      y(n, u) = sum;
    }
  return record(std::move(y), [x, &weight, bias](const Matrix &g) {
    const Matrix &w = weight.value;
    for (int64_t n = 0; n < g.rows; ++n)
      for (int64_t u = 0; u < g.cols; ++u) {
        if (bias)
          bias->gradient.values[u] += g(n, u);
        for (int64_t i = 0; i < w.cols; ++i) {
          weight.gradient(u, i) += g(n, u) * x->x(n, i);
          x->g(n, i) += g(n, u) * w(u, i);
        }
      }
  });
}

static double apply(Curve curve, double x) {
  switch (curve) {
  case Curve::linear:
    return x;
  case Curve::relu:
    return x > 0 ? x : 0;
  case Curve::sigmoid:
    return 1 / (1 + std::exp(-x));
  case Curve::tanh:
    return std::tanh(x);
  }
  return x;
}

static double slope(Curve curve, double x) {
  switch (curve) {
  case Curve::linear:
    return 1;
  case Curve::relu:
    return x > 0;
  case Curve::sigmoid:
    return 1 / (2 + std::exp(x) + std::exp(-x));
  case Curve::tanh:
    return 1 - std::tanh(x) * std::tanh(x);
  }
  return 1;
}

Value *Tape::activate(Value *x, Curve curve) {
  Matrix y = x->x;
  for (double &v : y.values)
    v = apply(curve, v);
  return record(std::move(y), [x, curve](const Matrix &g) {
    for (size_t i = 0; i < g.values.size(); ++i)
      x->g.values[i] += g.values[i] * slope(curve, x->x.values[i]);
  });
}

Value *Tape::scaleEach(Value *x, Matrix factors) {
  Matrix y = x->x;
  for (size_t i = 0; i < y.values.size(); ++i)
    y.values[i] *= factors.values[i];
  return record(std::move(y), [x, factors = std::move(factors)](const Matrix &g) {
    for (size_t i = 0; i < g.values.size(); ++i)
      x->g.values[i] += g.values[i] * factors.values[i];
  });
}

Value *Tape::add(const std::vector<Value *> &xs) {
  Matrix y(xs[0]->x.rows, xs[0]->x.cols);
  for (Value *x : xs)
    for (size_t i = 0; i < y.values.size(); ++i)
      y.values[i] += x->x.values[i];
  return record(std::move(y), [xs](const Matrix &g) {
    for (Value *x : xs)
      for (size_t i = 0; i < g.values.size(); ++i)
        x->g.values[i] += g.values[i];
  });
}

Value *Tape::subtract(Value *left, Value *right) {
  Matrix y = left->x;
  for (size_t i = 0; i < y.values.size(); ++i)
    y.values[i] -= right->x.values[i];
  return record(std::move(y), [left, right](const Matrix &g) {
    for (size_t i = 0; i < g.values.size(); ++i) {
      left->g.values[i] += g.values[i];
      right->g.values[i] -= g.values[i];
    }
  });
}

Value *Tape::multiply(const std::vector<Value *> &xs) {
  Matrix y(xs[0]->x.rows, xs[0]->x.cols, 1);
  for (Value *x : xs)
    for (size_t i = 0; i < y.values.size(); ++i)
      y.values[i] *= x->x.values[i];
  return record(std::move(y), [xs](const Matrix &g) {
    for (size_t k = 0; k < xs.size(); ++k)
      for (size_t i = 0; i < g.values.size(); ++i) {
        double others = g.values[i];
        for (size_t j = 0; j < xs.size(); ++j)
          others *= j == k ? 1 : xs[j]->x.values[i];
        xs[k]->g.values[i] += others;
      }
  });
}

Value *Tape::concat(const std::vector<Value *> &xs) {
  int64_t width = 0;
  for (Value *x : xs)
    width += x->x.cols;
  Matrix y(xs[0]->x.rows, width);
  int64_t first = 0;
  for (Value *x : xs) {
    for (int64_t n = 0; n < y.rows; ++n)
      for (int64_t c = 0; c < x->x.cols; ++c)
        y(n, first + c) = x->x(n, c);
    first += x->x.cols;
  }
  return record(std::move(y), [xs](const Matrix &g) {
    int64_t first = 0;
    for (Value *x : xs) {
      for (int64_t n = 0; n < g.rows; ++n)
        for (int64_t c = 0; c < x->x.cols; ++c)
          x->g(n, c) += g(n, first + c);
      first += x->x.cols;
    }
  });
}

Value *Tape::slice(Value *x, int64_t begin, int64_t end) {
  Matrix y(x->x.rows, end - begin);
  for (int64_t n = 0; n < y.rows; ++n)
    for (int64_t c = 0; c < y.cols; ++c)
      y(n, c) = x->x(n, begin + c);
  return record(std::move(y), [x, begin](const Matrix &g) {
    for (int64_t n = 0; n < g.rows; ++n)
      for (int64_t c = 0; c < g.cols; ++c)
        x->g(n, begin + c) += g(n, c);
  });
}

Value *Tape::rowSum(Value *x) {
  Matrix y(x->x.rows, 1);
  for (int64_t n = 0; n < y.rows; ++n)
    for (int64_t c = 0; c < x->x.cols; ++c)
      y(n, 0) += x->x(n, c);
  return record(std::move(y), [x](const Matrix &g) {
    for (int64_t n = 0; n < g.rows; ++n)
      for (int64_t c = 0; c < x->x.cols; ++c)
        x->g(n, c) += g(n, 0);
  });
}

Value *Tape::rowMean(Value *x) { return scaleEach(rowSum(x), Matrix(x->x.rows, 1, 1.0 / double(x->x.cols))); }

} // namespace sparsec::reference
