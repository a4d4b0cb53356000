// Forward and reverse of the few matrix functions that models are made of, in double, one sample after another.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace sparsec::reference {

struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(int64_t rows, int64_t cols, double value = 0) : rows(rows), cols(cols), values(rows * cols, value) {}
  double &operator()(int64_t i, int64_t j) { return values[i * cols + j]; }
  double operator()(int64_t i, int64_t j) const { return values[i * cols + j]; }
};

/// A matrix and the derivative of the loss with respect to it.
struct Value {
  explicit Value(Matrix x) : x(std::move(x)), g(this->x.rows, this->x.cols) {}
  Matrix x, g;
};

/// A weight, or a table with the rows that a batch touched.
struct Parameter {
  Matrix value, gradient;
  std::vector<char> touched; // by row
};

enum class Curve { linear, relu, sigmoid, tanh };
enum class Pooling { sum, mean, max };

/// One field of one sample. Id -1 is the row of zeros: it counts, can win a max, and gets no gradient.
struct Bag {
  std::vector<int64_t> ids;
  std::vector<double> weights; // empty: all 1
};

/// Records functions as they are computed; `reverse` runs their derivatives backwards.
class Tape {
public:
  Value *constant(Matrix x);
  Value *lookup(Parameter &table, const std::vector<const Bag *> &bags, Pooling pooling);
  /// x weight^T + bias, weight being [units, in], bias one row; `bias` may be null.
  Value *linear(Value *x, Parameter &weight, Parameter *bias);
  Value *activate(Value *x, Curve curve);
  Value *scaleEach(Value *x, Matrix factors);
  Value *add(const std::vector<Value *> &xs);
  Value *subtract(Value *left, Value *right);
  Value *multiply(const std::vector<Value *> &xs);
  Value *concat(const std::vector<Value *> &xs);
  Value *slice(Value *x, int64_t begin, int64_t end);
  Value *rowSum(Value *x);
  Value *rowMean(Value *x);
  Value *dot(const std::vector<Value *> &xs, bool self);
  Value *fm(const std::vector<Value *> &xs);
  /// Mean of the loss over the samples, times `weight`; both end in one number.
  Value *binaryCrossEntropy(Value *logits, const Matrix &labels, double weight);
  Value *squaredError(Value *outputs, const Matrix &labels, double weight);

  /// From d loss / d loss = 1; gradients of parameters are added to what is there.
  void reverse(Value *loss);

private:
  /// `derivative(g)`: adds to the inputs' gradients what this value's gradient g gives them.
  template <typename F> Value *record(Matrix x, F derivative) {
    Value *value = &values.emplace_back(std::move(x));
    derivatives.push_back([value, derivative] { derivative(value->g); });
    return value;
  }
  std::deque<Value> values;
  std::vector<std::function<void()>> derivatives;
};

} // namespace sparsec::reference
