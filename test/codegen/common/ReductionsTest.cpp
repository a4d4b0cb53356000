// Sums over the batch, losses and their gradients: against sums in double and central differences.
#include "StepJit.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec::test;

namespace {

/// Runs a step whose gradient `%g` of the type of parameter 0 is applied by sgd with rate 1, and checks that gradient.
void checkGradient(StepText text, const std::string &expression, SparsecContext &context,
                   const std::vector<double> &expected) {
  text.body = expression +
              "\n%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n"
              "rec.apply %g, %lr, %step {param = @param.p0} : (" +
              text.params[0].type + ", f32, i64) -> ()";
  for (Target target : allTargets) {
    StepJit jit(text.str(), target);
    context.params.assign(1, {Matrix(expected.size(), 0)});
    EXPECT_EQ(jit.train(context), 0);
    std::vector<float> gradient = context.params[0][0];
    for (float &value : gradient)
      value = -value;
    expectNear(gradient, expected);
  }
}

TEST(Reductions, ColumnSum) {
  for (int64_t batch : {0, 1, 37, 20000}) {
    SparsecContext context{.samples = batch};
    context.labels = {Matrix(batch, 0)};
    context.inputs = {randomMatrix(batch, 3, 1)};
    std::vector<double> expected(3, 0);
    for (int64_t i = 0; i < batch * 3; ++i)
      expected[i % 3] += context.inputs[0][i];
    checkGradient({.widths = {3}, .params = {{"tensor<3xf32>"}}, .batchMax = 20000},
                  "%g = rec.column_sum %x0 : (tensor<?x3xf32>) -> tensor<3xf32>", context, expected);
  }
}

TEST(Reductions, WeightGradient) {
  for (int64_t batch : {0, 1, 37}) {
    SparsecContext context{.samples = batch};
    context.labels = {Matrix(batch, 0)};
    context.inputs = {randomMatrix(batch, 3, 1), randomMatrix(batch, 2, 2)};
    std::vector<double> expected(6, 0);
    for (int64_t i = 0; i < batch; ++i)
      for (int unit = 0; unit < 3; ++unit)
        for (int in = 0; in < 2; ++in)
          expected[unit * 2 + in] += double(context.inputs[0][i * 3 + unit]) * context.inputs[1][i * 2 + in];
    checkGradient({.widths = {3, 2}, .params = {{"tensor<3x2xf32>"}}},
                  "%g = rec.matmul %x0, %x1 {transpose_a} : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<3x2xf32>",
                  context, expected);
  }
}

using Term = double (*)(double x, double y);
double bce(double x, double y) { return std::max(x, 0.0) - x * y + std::log1p(std::exp(-std::abs(x))); }
double mse(double x, double y) { return (x - y) * (x - y); }

/// Loss and gradient with a global batch of twice mine.
void checkLoss(const std::string &name, Term term, double scale, bool labelsAreClasses) {
  std::string types = "(tensor<?x1xf32>, tensor<?x1xf32>, index)", weight = " {weight = 0.7 : f64} : " + types;
  StepText text{.widths = {1}};
  text.body = "%two = arith.constant 2 : index\n%size = arith.muli %b, %two : index\n"
              "%l = rec." +
              name + " %x0, %y, %size" + weight +
              " -> f32\nrec.report %l : (f32) -> ()\n"
              "%g = rec." +
              name + "_grad %x0, %y, %size" + weight +
              " -> tensor<?x1xf32>\n"
              "rec.output %g {task = @task.t0} : (tensor<?x1xf32>) -> ()";
  for (Target target : allTargets)
    for (int64_t batch : {0, 1, 37}) {
      StepJit jit(text.str(), target);
      SparsecContext context{.samples = batch};
      context.inputs = {randomMatrix(batch, 1, 3, scale)};
      context.labels = {randomMatrix(batch, 1, 4)};
      if (labelsAreClasses)
        for (float &y : context.labels[0])
          y = y > 0;
      ASSERT_EQ(jit.train(context), 0);
      double loss = 0, share = 0.7 / std::max<int64_t>(1, 2 * batch);
      std::vector<double> gradient;
      for (int64_t i = 0; i < batch; ++i) {
        double x = context.inputs[0][i], y = context.labels[0][i], h = 1e-4;
        loss += share * term(x, y);
        gradient.push_back(share * (term(x + h, y) - term(x - h, y)) / (2 * h));
      }
      expectNear({context.losses.at(0)}, {loss}, 2e-6, 1e-6);
      expectNear(context.outputs[0], gradient, 1e-5, share);
    }
}

TEST(Losses, BinaryCrossEntropy) {
  for (double scale : {0.1, 3.0, 30.0})
    checkLoss("bce", bce, scale, true);
}
TEST(Losses, SquaredError) { checkLoss("mse", mse, 3, false); }

TEST(Losses, ExtremeLogits) {
  StepText text{.widths = {1}};
  text.body = "%l = rec.bce %x0, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> "
              "f32\nrec.report %l : (f32) -> ()";
  StepJit jit(text.str());
  for (auto [logit, label, expected] :
       {std::array<float, 3>{200, 1, 0}, {-200, 0, 0}, {200, 0, 200}, {-200, 1, 200}, {20, 1, 2.0611537e-9f}}) {
    SparsecContext context{.samples = 1};
    context.inputs = {{logit}};
    context.labels = {{label}};
    ASSERT_EQ(jit.train(context), 0);
    EXPECT_NEAR(context.losses.at(0), expected, 1e-5 * expected + 1e-30) << logit;
  }
}

TEST(Losses, NotANumberStaysOne) {
  StepText text{.widths = {1}};
  text.body = "%h = rec.activate %x0 {activation = #rec.activation<relu>} : (tensor<?x1xf32>) -> tensor<?x1xf32>\n"
              "%l = rec.bce %h, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> "
              "f32\nrec.report %l : (f32) -> ()";
  StepJit jit(text.str());
  SparsecContext context{.samples = 2};
  context.inputs = {{1, NAN}};
  context.labels = {{0, 0}};
  ASSERT_EQ(jit.train(context), 0);
  EXPECT_TRUE(std::isnan(context.losses.at(0)));
}

} // namespace
