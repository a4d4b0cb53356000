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
