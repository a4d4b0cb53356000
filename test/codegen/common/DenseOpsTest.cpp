// Every dense op compiled and run, against loops in double. Batches of 0, 1 and 37 samples, on one thread and many, and
// on a device.
#include "StepJit.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace sparsec::test;

namespace {

using Row = std::vector<double>;
/// What row i of the result is, given row i of each input.
using RowFunction = std::function<Row(const std::vector<Row> &)>;

Row rowOf(const Matrix &matrix, int64_t width, int64_t i) {
  return Row(matrix.begin() + i * width, matrix.begin() + (i + 1) * width);
}

/// Runs `expression`, whose result is a matrix of `columns`, on random inputs.
void checkRows(StepText text, const std::string &expression, int columns, const RowFunction &reference,
               double scale = 2) {
  text.body = "%r = " + expression + "\nrec.output %r {task = @task.t0} : (tensor<?x" + std::to_string(columns) +
              "xf32>) -> ()";
  for (Target target : allTargets) {
    StepJit jit(text.str(), target);
    for (int64_t batch : {0, 1, 37}) {
      SparsecContext context;
      context.samples = batch;
      context.labels = {randomMatrix(batch, 1, 9)};
      for (size_t i = 0; i < text.widths.size(); ++i)
        context.inputs.push_back(randomMatrix(batch, text.widths[i], 20 + i, scale));
      for (size_t i = 0; i < text.params.size(); ++i)
        context.params.push_back({randomMatrix(24, 1, 40 + i)}); // as large as any parameter here
      ASSERT_EQ(jit.train(context), 0);
      std::vector<double> expected;
      for (int64_t row = 0; row < batch; ++row) {
        std::vector<Row> rows;
        for (size_t i = 0; i < text.widths.size(); ++i)
          rows.push_back(rowOf(context.inputs[i], text.widths[i], row));
        Row result = reference(rows);
        ASSERT_EQ(result.size(), size_t(columns));
        expected.insert(expected.end(), result.begin(), result.end());
      }
      expectNear(context.outputs[0], expected);
    }
  }
}

Row map(const Row &x, double (*function)(double)) {
  Row result;
  for (double value : x)
    result.push_back(function(value));
  return result;
}
double relu(double x) { return x > 0 ? x : 0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(DenseOps, Activate) {
  auto text = [](const std::string &kind) {
    return "rec.activate %x0 {activation = #rec.activation<" + kind + ">} : (tensor<?x5xf32>) -> tensor<?x5xf32>";
  };
  checkRows({.widths = {5}}, text("none"), 5, [](auto &x) { return x[0]; });
  checkRows({.widths = {5}}, text("relu"), 5, [](auto &x) { return map(x[0], relu); });
  checkRows({.widths = {5}}, text("tanh"), 5, [](auto &x) { return map(x[0], std::tanh); });
  for (double scale : {1.0, 20.0, 1000.0})
    checkRows(
        {.widths = {5}}, text("sigmoid"), 5, [](auto &x) { return map(x[0], sigmoid); }, scale);
}

TEST(DenseOps, ActivateGrad) {
  auto check = [](const std::string &kind, double (*slope)(double)) {
    checkRows({.widths = {5, 5}},
              "rec.activate_grad %x0, %x1 {activation = #rec.activation<" + kind +
                  ">} : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>",
              5, [&](auto &x) {
                Row result = x[0];
                for (size_t i = 0; i < result.size(); ++i)
                  result[i] *= slope(x[1][i]);
                return result;
              });
  };
  check("none", [](double) { return 1.0; });
  check("relu", [](double y) { return y > 0 ? 1.0 : 0.0; });
  check("sigmoid", [](double y) { return y * (1 - y); });
  check("tanh", [](double y) { return 1 - y * y; });
}

TEST(DenseOps, Arithmetic) {
  auto binary = [](const std::string &op, double (*f)(double, double)) {
    checkRows({.widths = {3, 3}}, "rec." + op + " %x0, %x1 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>", 3,
              [&](auto &x) {
                Row result;
                for (size_t i = 0; i < 3; ++i)
                  result.push_back(f(x[0][i], x[1][i]));
                return result;
              });
  };
  binary("add", [](double x, double y) { return x + y; });
  binary("subtract", [](double x, double y) { return x - y; });
  binary("multiply", [](double x, double y) { return x * y; });
  checkRows({.widths = {1, 1, 1}},
            "rec.multiply %x0, %x1, %x2 : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>", 1,
            [](auto &x) { return Row{x[0][0] * x[1][0] * x[2][0]}; });
  checkRows({.widths = {2}}, "rec.add %x0 : (tensor<?x2xf32>) -> tensor<?x2xf32>", 2, [](auto &x) { return x[0]; });
  checkRows({.widths = {2}}, "rec.scale %x0 {factor = -0.3 : f64} : (tensor<?x2xf32>) -> tensor<?x2xf32>", 2,
            [](auto &x) {
              return Row{-0.3 * x[0][0], -0.3 * x[0][1]};
            });
}

TEST(DenseOps, Columns) {
  checkRows({.widths = {7}}, "rec.row_sum %x0 : (tensor<?x7xf32>) -> tensor<?x1xf32>", 1, [](auto &x) {
    double sum = 0;
    for (double value : x[0])
      sum += value;
    return Row{sum};
  });
  checkRows({.widths = {1}}, "rec.broadcast_columns %x0 : (tensor<?x1xf32>) -> tensor<?x4xf32>", 4,
            [](auto &x) { return Row(4, x[0][0]); });
  checkRows({.widths = {7}}, "rec.slice %x0 {begin = 2 : i64} : (tensor<?x7xf32>) -> tensor<?x3xf32>", 3,
            [](auto &x) { return Row(x[0].begin() + 2, x[0].begin() + 5); });
  for (int begin : {0, 2, 4})
    checkRows({.widths = {3}},
              "rec.pad_columns %x0 {begin = " + std::to_string(begin) +
                  " : i64} : (tensor<?x3xf32>) -> tensor<?x7xf32>",
              7, [&](auto &x) {
                Row result(7, 0);
                std::copy(x[0].begin(), x[0].end(), result.begin() + begin);
                return result;
              });
  checkRows({.widths = {3, 1, 2}},
            "rec.concat %x0, %x1, %x2 : (tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x2xf32>) -> tensor<?x6xf32>", 6,
            [](auto &x) { return Row{x[0][0], x[0][1], x[0][2], x[1][0], x[2][0], x[2][1]}; });
}

TEST(DenseOps, Chains) {
  checkRows({.widths = {4, 2}, .tasks = 2},
            "rec.multiply %x1, %x1 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>\n"
            "%s = rec.slice %x0 {begin = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x2xf32>\n"
            "%t = rec.activate %s {activation = #rec.activation<tanh>} : (tensor<?x2xf32>) -> tensor<?x2xf32>\n"
            "%u = rec.concat %t, %r : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>\n"
            "%v = rec.add %u, %x0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>\n"
            "rec.output %v {task = @task.t1} : (tensor<?x4xf32>) -> ()",
            2, [](auto &x) {
              return Row{x[1][0] * x[1][0], x[1][1] * x[1][1]};
            });
}

TEST(DenseOps, Linear) {
  for (std::string kind : {"none", "relu", "sigmoid", "tanh"})
    for (bool bias : {false, true}) {
      std::string operands = bias ? "%x0, %p0, %p1" : "%x0, %p0", types = bias ? ", tensor<3xf32>" : "";
      Matrix w = randomMatrix(24, 1, 40), b = randomMatrix(24, 1, 41);
      checkRows({.widths = {5}, .params = {{"tensor<3x5xf32>"}, {"tensor<3xf32>"}}},
                "rec.linear " + operands + " {activation = #rec.activation<" + kind +
                    ">} : (tensor<?x5xf32>, tensor<3x5xf32>" + types + ") -> tensor<?x3xf32>",
                3, [&](auto &x) {
                  Row result;
                  for (int unit = 0; unit < 3; ++unit) {
                    double sum = bias ? b[unit] : 0;
                    for (int i = 0; i < 5; ++i)
                      sum += x[0][i] * w[unit * 5 + i];
                    result.push_back(kind == "relu"      ? relu(sum)
                                     : kind == "sigmoid" ? sigmoid(sum)
                                     : kind == "tanh"    ? std::tanh(sum)
                                                         : sum);
                  }
                  return result;
                });
    }
}

} // namespace
