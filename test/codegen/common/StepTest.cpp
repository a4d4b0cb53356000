// Updates of dense parameters, schedules, dropout, the arena, and steps that stop.
#include "StepJit.h"
#include "codegen/Common/Dropout.h"
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace sparsec::test;

namespace {

/// One parameter [2, 3], its gradient the rows of a batch of two; three steps.
SparsecContext runUpdates(Target target, const std::string &optimizer, int states, double start, int warmup = 0) {
  StepText text{.widths = {2, 3}, .params = {{"tensor<2x3xf32>", optimizer}}, .warmupSteps = warmup};
  text.body = "%g = rec.matmul %x0, %x1 {transpose_a} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>\n"
              "%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n"
              "rec.apply %g, %lr, %step {param = @param.p0} : (tensor<2x3xf32>, f32, i64) -> ()";
  StepJit jit(text.str());
  SparsecContext context{.samples = 2};
  context.labels = {{0, 0}};
  context.params = {{Matrix{1, 2, 3, 4, 5, 6}}};
  for (int i = 0; i < states; ++i)
    context.params[0].push_back(Matrix(6, float(start)));
  for (int step = 1; step <= 3; ++step) {
    context.inputs = {{1, 0, 0, 1}, randomMatrix(2, 3, step)}; // the first makes the gradient equal the second
    EXPECT_EQ(jit.train(context, step), 0);
  }
  return context;
}

template <typename Update>
void checkUpdates(const std::string &optimizer, int states, double start, Update update, int warmup = 0) {
  for (Target target : allTargets) {
    SparsecContext context = runUpdates(target, optimizer, states, start, warmup);
    for (int i = 0; i < 6; ++i) {
      double w = i + 1, m = start, u = start;
      for (int step = 1; step <= 3; ++step)
        update(w, m, u, double(randomMatrix(2, 3, step)[i]), step);
      EXPECT_NEAR(context.params[0][0][i], w, 1e-5) << i;
      if (context.params[0].size() > 1)
        EXPECT_NEAR(context.params[0][1][i], m, 1e-5) << i;
    }
  }
}

TEST(Apply, Sgd) {
  checkUpdates("#rec.sgd<lr = 0.5 : f64>", 0, 0, [](double &w, double &, double &, double g, int) { w -= 0.5 * g; });
}
TEST(Apply, WarmUp) {
  checkUpdates(
      "#rec.sgd<lr = 0.5 : f64>", 0, 0,
      [](double &w, double &, double &, double g, int t) { w -= 0.5 * (t <= 2 ? t / 2.0 : 1) * g; }, 2);
}
TEST(Apply, AdaGrad) {
  checkUpdates("#rec.adagrad<lr = 0.5 : f64, eps = 1.0e-4 : f64, start = 0.1 : f64>", 1, 0.1,
               [](double &w, double &m, double &, double g, int) {
                 m += g * g;
                 w -= 0.5 * g / (std::sqrt(m) + 1e-4);
               });
}
TEST(Apply, Adam) {
  checkUpdates("#rec.adam<lr = 0.5 : f64, beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-4 : f64>", 2, 0,
               [](double &w, double &m, double &u, double g, int t) {
                 m = 0.9 * m + 0.1 * g;
                 u = 0.999 * u + 0.001 * g * g;
                 w -= 0.5 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(u / (1 - std::pow(0.999, t))) + 1e-4);
               });
}

TEST(Dropout, IsItsRule) {
  StepText text{.widths = {5}};
  text.body = "%f = rec.first_sample : () -> i64\n"
              "%r = rec.dropout %x0, %f, %step {rate = 0.4 : f64, stream = \"top/0\", seed = 42 : i64} : "
              "(tensor<?x5xf32>, i64, i64) -> tensor<?x5xf32>\n"
              "rec.output %r {task = @task.t0} : (tensor<?x5xf32>) -> ()";
  sparsec::codegen::DropoutRule rule("top/0", 42, 0.4);
  for (Target target : allTargets)
    for (int64_t step : {int64_t(1), int64_t(7), int64_t(5) << 32}) {
      StepJit jit(text.str(), target);
      SparsecContext context{.samples = 60, .firstSample = 1000};
      context.labels = {Matrix(60, 0)};
      context.inputs = {Matrix(300, 1)};
      ASSERT_EQ(jit.train(context, step), 0);
      int kept = 0;
      for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(context.outputs[0][i], rule(step, 1000 + i / 5, i % 5)) << i;
        kept += context.outputs[0][i] != 0;
      }
      EXPECT_NEAR(kept, 180, 40);
    }
}

/// Two layers and the update of the first.
StepText twoLayers() {
  StepText text{.widths = {4}, .params = {{"tensor<8x4xf32>"}, {"tensor<1x8xf32>"}}, .batchMax = 10};
  text.body = "%h = rec.linear %x0, %p0 {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<8x4xf32>) -> "
              "tensor<?x8xf32>\n"
              "%o = rec.linear %h, %p1 {activation = #rec.activation<none>} : (tensor<?x8xf32>, tensor<1x8xf32>) -> "
              "tensor<?x1xf32>\n"
              "%l = rec.mse %o, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32\n"
              "rec.report %l : (f32) -> ()\n"
              "%go = rec.mse_grad %o, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> "
              "tensor<?x1xf32>\n"
              "%gh = rec.matmul %go, %p1 : (tensor<?x1xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>\n"
              "%gw1 = rec.matmul %go, %h {transpose_a} : (tensor<?x1xf32>, tensor<?x8xf32>) -> tensor<1x8xf32>\n"
              "%ga = rec.activate_grad %gh, %h {activation = #rec.activation<relu>} : (tensor<?x8xf32>, "
              "tensor<?x8xf32>) -> tensor<?x8xf32>\n"
              "%gw = rec.matmul %ga, %x0 {transpose_a} : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<8x4xf32>\n"
              "%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n"
              "rec.apply %gw1, %lr, %step {param = @param.p1} : (tensor<1x8xf32>, f32, i64) -> ()\n"
              "rec.apply %gw, %lr, %step {param = @param.p0} : (tensor<8x4xf32>, f32, i64) -> ()";
  return text;
}
SparsecContext twoLayerContext(int64_t batch) {
  SparsecContext context{.samples = batch};
  context.inputs = {randomMatrix(batch, 4, 1)};
  context.labels = {randomMatrix(batch, 1, 2)};
  context.params = {{randomMatrix(8, 4, 3)}, {randomMatrix(1, 8, 4)}};
  return context;
}

TEST(Step, MemoryIsOneArena) {
  StepJit jit(twoLayers().str());
  SparsecContext context = twoLayerContext(10);
  ASSERT_EQ(jit.train(context), 0);
  EXPECT_TRUE(context.ragged.empty());
  EXPECT_EQ(context.calls.front(), "arena");
  EXPECT_EQ(context.arenaBytes % 64, 0);
  EXPECT_LE(context.arenaBytes, 4 * (10 * 8 * 3 + 64 + 64 + 64)); // h, gh, ga at once at most
}

TEST(Step, IsTheSameOnEveryTarget) {
  std::vector<SparsecContext> after;
  for (Target target : allTargets) {
    StepJit jit(twoLayers().str(), target);
    after.push_back(twoLayerContext(10));
    for (int step = 1; step <= 3; ++step)
      ASSERT_EQ(jit.train(after.back(), step), 0);
  }
  for (const SparsecContext &context : after) {
    expectNear(context.losses, {after[0].losses.begin(), after[0].losses.end()}, 1e-6);
    for (size_t i = 0; i < context.params.size(); ++i)
      expectNear(context.params[i][0], {after[0].params[i][0].begin(), after[0].params[i][0].end()}, 1e-6);
  }
  // Loss in two and its mean, its gradient, relu's, and both updates.
  EXPECT_EQ(after.back().launches, 3 * 6);
}

TEST(Step, StopsWhereACallFails) {
  const SparsecContext before = twoLayerContext(10);
  for (Target target : allTargets)
    for (std::string name : {"arena", "gemm", "launch", "report_loss"}) {
      if (target != Target::device && name == "launch")
        continue;
      StepJit jit(twoLayers().str(), target);
      SparsecContext context = before;
      context.failIn = name;
      EXPECT_EQ(jit.train(context), name == "arena" ? 1 : 7);
      EXPECT_EQ(context.calls.back(), name); // nothing ran behind it
      EXPECT_EQ(context.params, before.params);
    }
}

TEST(Step, UpdatesSeeOldParameters) {
  // The gradient of the input uses %p0 behind its update in the text.
  StepText text{.widths = {2}, .params = {{"tensor<2x2xf32>"}}};
  text.body = "%lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32\n"
              "%g = rec.matmul %x0, %x0 {transpose_a} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>\n"
              "rec.apply %g, %lr, %step {param = @param.p0} : (tensor<2x2xf32>, f32, i64) -> ()\n"
              "%r = rec.matmul %x0, %p0 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "rec.output %r {task = @task.t0} : (tensor<?x2xf32>) -> ()";
  for (Target target : allTargets) {
    StepJit jit(text.str(), target);
    SparsecContext context{.samples = 1};
    context.labels = {{0}};
    context.inputs = {{1, 2}};
    context.params = {{Matrix{1, 0, 0, 1}}};
    ASSERT_EQ(jit.train(context), 0);
    EXPECT_EQ(context.outputs[0], (std::vector<float>{1, 2}));
    EXPECT_EQ(context.params[0][0], (Matrix{0, -2, -2, -3}));
  }
}

TEST(Step, DescribesItself) {
  StepJit jit(twoLayers().str());
  const SparsecProgramImage &image = jit.program();
  EXPECT_EQ(image.abi, SPARSEC_ABI);
  EXPECT_EQ(image.eval.step, nullptr);
  auto json = nlohmann::json::parse(std::string(image.description, image.description_size));
  EXPECT_EQ(json["params"][0]["shape"], (nlohmann::json{8, 4}));
  EXPECT_EQ(json["inputs"][0]["width"], 4);
}

} // namespace
