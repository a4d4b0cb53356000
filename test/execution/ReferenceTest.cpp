// The reference itself: its gradients against central differences, its random numbers and its golden losses.
#include "reference/Reference.h"
#include "LayerCases.h"
#include "reference/LoadText.h"
#include "reference/Random.h"
#include "support/Process.h"
#include <cmath>
#include <gtest/gtest.h>

namespace sparsec::reference {
namespace {

/// All gradients against (loss(w + h) - loss(w - h)) / 2h.
void checkGradients(const std::string &text) {
  description::Loaded loaded = loadText(text);
  std::vector<Row> batch = readRows(loaded, layerRows);
  Reference reference(loaded);
  // Biases that start at zero would hide mistakes.
  for (auto &[name, parameter] : reference.parameters)
    for (size_t i = 0; i < parameter.value.values.size(); ++i)
      parameter.value.values[i] += 0.1 * std::sin(double(7 * i + name.size()));
  reference.gradients(batch);
  Parameters found = reference.parameters;
  double largest = 0;
  for (auto &[name, parameter] : found)
    for (size_t i = 0; i < parameter.value.values.size(); ++i) {
      double expected = centralDifference(reference, batch, name, i);
      EXPECT_NEAR(parameter.gradient.values[i], expected, 1e-8 + 1e-6 * std::abs(expected)) << name << " " << i;
      largest = std::max(largest, std::abs(expected));
    }
  EXPECT_GT(largest, 1e-3);
}

class GradientTest : public testing::TestWithParam<const char *> {};

TEST_P(GradientTest, MatchesCentralDifferences) {
  for (const char *pooling : {"SUM", "MEAN", "MAX"})
    checkGradients(layerModel(GetParam(), pooling));
}

INSTANTIATE_TEST_SUITE_P(Layers, GradientTest, testing::ValuesIn(layerCases));

TEST(ReferenceTest, LossesAddUp) { checkGradients(twoTasksModel()); }

// The known answers that come with the generator's paper (Random123, kat_vectors).
TEST(ReferenceTest, PhiloxKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

/// w after each of three steps with gradients 2, 0 (touched) and 1, and what the formulas give by hand.
struct Steps {
  const char *optimizer;
  double after[3];
};

TEST(ReferenceTest, UpdatesByHand) {
  const double s = 0.5, e = 0.01;
  const Steps cases[] = {{"sgd { lr: 0.5 }", {0, 0, -0.5}},
                         {"adagrad { lr: 0.5 eps: 0.01 start: 5 }",
                          {1 - s * 2 / (3 + e), 1 - s * 2 / (3 + e), 1 - s * 2 / (3 + e) - s / (std::sqrt(10.0) + e)}},
                         // m: 1, .5, .75; u: 3, .75, .9375; both corrected by 1 - beta^t.
                         {"adam { lr: 0.5 beta1: 0.5 beta2: 0.25 eps: 0.01 }",
                          {1 - s * 2 / (2 + e), 1 - s * 2 / (2 + e) - s * (0.5 / 0.75) / (std::sqrt(0.75 / 0.9375) + e),
                           1 - s * 2 / (2 + e) - s * (0.5 / 0.75) / (std::sqrt(0.75 / 0.9375) + e) -
                               s * (0.75 / 0.875) / (std::sqrt(0.9375 / 0.984375) + e)}}};
  for (const Steps &c : cases) {
    // loss = weight * (w x - y)^2 with x = 1: the labels make the gradients.
    description::Loaded loaded = loadText(R"(language: 1 name: "m" data { column: ["y", "x"] } label { name: "y" }
feature { name: "x" number {} }
layer { name: "out" input: "x" linear { units: 1 use_bias: false weight { constant: 1 } } }
task { name: "p" input: "out" label: "y" mse {} }
training { batch_size: 1 dense_optimizer { )" +
                                          std::string(c.optimizer) + " } }");
    Reference reference(loaded);
    const double gradients[] = {2, 0, 1};
    for (int i = 0; i < 3; ++i) {
      double &w = reference.parameters.at("layer/out/weight").value.values[0];
      Row row{{{}}, {{1}}, {w - gradients[i] / 2}};
      reference.step(std::span(&row, 1));
      EXPECT_NEAR(w, c.after[i], 1e-12) << c.optimizer << " step " << i + 1;
    }
  }
}

// Row-wise AdaGrad takes the mean over the row; a touched row with no gradient moves under Adam alone; warm-up scales.
TEST(ReferenceTest, TableUpdatesByHand) {
  description::Loaded loaded = loadText(R"(language: 1 name: "m" data { column: ["y", "f"] } label { name: "y" }
feature { name: "f" ids: 3 identity {} }
table { name: "t" dim: 2 init { constant: 1 } }
lookup { name: "e" feature: "f" table: "t" }
layer { name: "out" input: "e" linear { units: 1 use_bias: false weight { values: [3, 1] } } }
task { name: "p" input: "out" label: "y" mse {} }
training { batch_size: 1 dense_optimizer { sgd { lr: 0 } } schedule { warmup_steps: 4 }
           table_optimizer { row_wise_adagrad { lr: 0.5 eps: 0.25 start: 1 } } })");
  Reference reference(loaded);
  Row row{{Bag{{2}, {}}}, {{}}, {3.5}}; // gradient of the output: 2 (4 - 3.5) = 1; of the row: (3, 1)
  EXPECT_NEAR(reference.step(std::span(&row, 1)), 0.25, 1e-12);
  const Matrix &t = reference.parameters.at("table/t/weight").value;
  double rate = 0.5 * 0.25 / (std::sqrt(1 + (9 + 1) / 2.0) + 0.25);
  EXPECT_NEAR(t(2, 0), 1 - 3 * rate, 1e-12);
  EXPECT_NEAR(t(2, 1), 1 - rate, 1e-12);
  EXPECT_EQ(t(0, 0), 1);
}

} // namespace
} // namespace sparsec::reference
