// Dense kernels on the emulator, for shapes that take every path: vectors and single elements, narrow and wide rows,
// few and many partial sums, launches that are several ops. StepJit compares orders of threads and blocks bit by bit.
#include "test/codegen/common/StepJit.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace sparsec::test;

namespace {

std::string matrix(int width) { return "tensor<?x" + std::to_string(width) + "xf32>"; }
std::string outputOf(const std::string &value, int width, int task = 0) {
  return "rec.output " + value + " {task = @task.t" + std::to_string(task) + "} : (" + matrix(width) + ") -> ()\n";
}
SparsecContext contextOf(const std::vector<int> &widths, int64_t batch) {
  SparsecContext context{.samples = batch};
  context.labels = {randomMatrix(batch, 1, 9)};
  for (size_t i = 0; i < widths.size(); ++i)
    context.inputs.push_back(randomMatrix(batch, widths[i], 20 + i));
  return context;
}

void checkConcat(const std::vector<int> &widths, int launches) {
  StepText text{.widths = widths, .batchMax = 500};
  int width = std::accumulate(widths.begin(), widths.end(), 0);
  std::string operands, types;
  for (size_t i = 0; i < widths.size(); ++i) {
    operands += (i ? ", %x" : "%x") + std::to_string(i);
    types += (i ? ", " : "") + matrix(widths[i]);
  }
  text.body = "%r = rec.concat " + operands + " : (" + types + ") -> " + matrix(width) + "\n" + outputOf("%r", width);
  StepJit jit(text.str(), Target::device);
  for (int64_t batch : {0, 1, 37, 500}) {
    SparsecContext context = contextOf(widths, batch);
    ASSERT_EQ(jit.train(context), 0);
    EXPECT_EQ(context.launches, launches);
    Matrix expected;
    for (int64_t row = 0; row < batch; ++row)
      for (size_t i = 0; i < widths.size(); ++i)
        expected.insert(expected.end(), context.inputs[i].begin() + row * widths[i],
                        context.inputs[i].begin() + (row + 1) * widths[i]);
    EXPECT_EQ(context.outputs[0], expected);
  }
}

TEST(DenseKernels, Concat) {
  checkConcat({64, 128, 64}, 1);            // vectors
  checkConcat({64, 16, 367}, 1);            // single elements
  checkConcat({4, 8, 12, 4}, 3);            // narrow rows: groups of 1, 2 and 4 threads
  checkConcat(std::vector<int>(150, 8), 1); // all that fit into the arguments
  checkConcat(std::vector<int>(200, 8), 2);
}

/// relu's gradient, and its sum over the samples: fused. The reference adds in double.
void checkGradientSum(int width, int64_t batch) {
  std::string vector = "tensor<" + std::to_string(width) + "xf32>";
  StepText text{.widths = {width, width}, .params = {{vector}}, .batchMax = 5000};
  text.body = "%g = rec.activate_grad %x0, %x1 {activation = #rec.activation<relu>} : (" + matrix(width) + ", " +
              matrix(width) + ") -> " + matrix(width) + "\n%s = rec.column_sum %g : (" + matrix(width) + ") -> " +
              vector + "\n%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n" +
              outputOf("%g", width) + "rec.apply %s, %lr, %step {param = @param.p0} : (" + vector + ", f32, i64) -> ()";
  StepJit jit(text.str(), Target::device);
  SparsecContext context = contextOf({width, width}, batch);
  context.params = {{Matrix(width, 0)}};
  ASSERT_EQ(jit.train(context), 0);
  EXPECT_EQ(context.launches, 3); // gradient and partial sums; sums; update
  std::vector<double> sums(width, 0);
  Matrix gradient;
  for (int64_t i = 0; i < batch * width; ++i) {
    gradient.push_back(context.inputs[1][i] > 0 ? context.inputs[0][i] : 0);
    sums[i % width] -= gradient.back();
  }
  EXPECT_EQ(context.outputs[0], gradient);
  expectNear(context.params[0][0], sums, 1e-7);
}

TEST(DenseKernels, GradientSum) {
  for (int width : {1, 3, 4, 16, 17, 128, 1028, 2050})
    for (int64_t batch : {0, 1, 37})
      checkGradientSum(width, batch);
  for (int width : {1, 6, 64})
    checkGradientSum(width, 5000);
}

std::vector<double> doubles(const Matrix &values) { return {values.begin(), values.end()}; }
/// op(a)[m, k] b[k, n] in double; a is [k, m] if transposed.
std::vector<double> product(const std::vector<double> &a, const std::vector<double> &b, int64_t m, int64_t n, int64_t k,
                            bool transposed) {
  std::vector<double> c(m * n, 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        c[i * n + j] += a[transposed ? l * m + i : i * k + l] * b[l * n + j];
  return c;
}

/// The gradient of a layer of `units` on `width` units of a relu: products that do what follows them, and no kernels
/// but the updates and what a product of one number leaves.
void checkLayerGradient(int units, int width, int64_t batch, int launches) {
  std::string weight = "tensor<" + std::to_string(units) + "x" + std::to_string(width) + "xf32>",
              bias = "tensor<" + std::to_string(units) + "xf32>", g = matrix(units), x = matrix(width);
  StepText text{.widths = {units, width}, .params = {{weight}, {bias}}, .batchMax = 500};
  text.body = "%dx = rec.matmul %x0, %p0 : (" + g + ", " + weight + ") -> " + x +
              "\n%gw = rec.matmul %x0, %x1 {transpose_a} : (" + g + ", " + x + ") -> " + weight +
              "\n%gb = rec.column_sum %x0 : (" + g + ") -> " + bias +
              "\n%dz = rec.activate_grad %dx, %x1 {activation = #rec.activation<relu>} : (" + x + ", " + x + ") -> " +
              x + "\n%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n" + outputOf("%dz", width) +
              "rec.apply %gw, %lr, %step {param = @param.p0} : (" + weight + ", f32, i64) -> ()\n" +
              "rec.apply %gb, %lr, %step {param = @param.p1} : (" + bias + ", f32, i64) -> ()";
  StepJit jit(text.str(), Target::device);
  SparsecContext context = contextOf({units, width}, batch);
  if (batch > 0)
    context.inputs[1][0] = 0; // relu lets nothing through at 0
  context.params = {{randomMatrix(units, width, 5)}, {randomMatrix(units, 1, 6)}};
  auto before = context.params;
  auto left = doubles(context.inputs[0]), right = doubles(context.inputs[1]);
  ASSERT_EQ(jit.train(context), 0);
  EXPECT_EQ(context.launches, launches);
  auto dz = product(left, doubles(before[0][0]), batch, width, units, false);
  for (int64_t i = 0; i < batch * width; ++i)
    dz[i] = right[i] > 0 ? dz[i] : 0;
  expectNear(context.outputs[0], dz, 1e-6);
  auto gw = product(left, right, units, width, batch, true),
       gb = product(left, std::vector<double>(batch, 1), units, 1, batch, true);
  for (int64_t i = 0; i < units * width; ++i)
    gw[i] = before[0][0][i] - gw[i];
  for (int64_t i = 0; i < units; ++i)
    gb[i] = before[1][0][i] - gb[i];
  expectNear(context.params[0][0], gw, 1e-5);
  expectNear(context.params[1][0], gb, 1e-6);
}

TEST(DenseKernels, LayerGradient) {
  for (int64_t batch : {0, 1, 37, 500}) {
    checkLayerGradient(8, 16, batch, 1);
    checkLayerGradient(5, 3, batch, 1);
    checkLayerGradient(1, 12, batch, 2);
  }
}

TEST(DenseKernels, RowSum) {
  for (int width : {1, 2, 5, 64, 129, 1000}) {
    StepText text{.widths = {width}};
    text.body = "%r = rec.row_sum %x0 : (" + matrix(width) + ") -> tensor<?x1xf32>\n" + outputOf("%r", 1);
    StepJit jit(text.str(), Target::device);
    for (int64_t batch : {0, 1, 37}) {
      SparsecContext context = contextOf({width}, batch);
      ASSERT_EQ(jit.train(context), 0);
      std::vector<double> expected(batch, 0);
      for (int64_t i = 0; i < batch * width; ++i)
        expected[i / width] += context.inputs[0][i];
      expectNear(context.outputs[0], expected, 1e-7);
    }
  }
}

/// Updates of many parameters, of sizes that end inside and at the end of blocks and vectors.
TEST(DenseKernels, UpdatesAreOneLaunch) {
  std::vector<int> sizes = {1, 3, 4, 1023, 1024, 1025, 5000, 64, 2, 7, 8};
  std::vector<int> widths = {1};
  widths.insert(widths.end(), sizes.begin(), sizes.end());
  StepText text{.widths = widths};
  text.body = "%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n";
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::string n = std::to_string(i), type = "tensor<1x" + std::to_string(sizes[i]) + "xf32>";
    text.params.push_back({type, "#rec.adagrad<lr = 0.5 : f64, eps = 1.0e-4 : f64, start = 0.0 : f64>"});
    text.body += "%g" + n + " = rec.matmul %x0, %x" + std::to_string(i + 1) + " {transpose_a} : (tensor<?x1xf32>, " +
                 matrix(sizes[i]) + ") -> " + type + "\nrec.apply %g" + n + ", %lr, %step {param = @param.p" + n +
                 "} : (" + type + ", f32, i64) -> ()\n";
  }
  StepJit jit(text.str(), Target::device);
  SparsecContext context = contextOf(widths, 1);
  context.inputs[0] = {2}; // the gradient is twice the parameter's input
  for (size_t i = 0; i < sizes.size(); ++i)
    context.params.push_back({randomMatrix(sizes[i], 1, i), Matrix(sizes[i], 0.25f)});
  auto before = context.params;
  ASSERT_EQ(jit.train(context), 0);
  EXPECT_EQ(context.launches, 1);
  for (size_t i = 0; i < sizes.size(); ++i)
    for (int k = 0; k < sizes[i]; ++k) {
      double w = before[i][0][k], g = 2 * context.inputs[i + 1][k], m = 0.25 + g * g;
      ASSERT_NEAR(context.params[i][1][k], m, 1e-5) << i << ", " << k;
      ASSERT_NEAR(context.params[i][0][k], w - 0.5 * g / (std::sqrt(m) + 1e-4), 1e-5) << i << ", " << k;
    }
}

} // namespace
