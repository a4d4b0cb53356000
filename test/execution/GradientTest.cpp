// Gradients of the compiled step against central differences in double: of the reference it is the forward pass alone
// that speaks here.
#include "LayerCases.h"
#include "reference/LoadText.h"
#include "support/Compiled.h"
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

namespace sparsec::execution {
namespace {

constexpr double rate = 0.5; // of SGD, so that the gradient is (before - after) / rate

/// Trains two steps, as biases that start at zero would hide mistakes, then one more from there.
void checkGradients(const std::string &text) {
  TemporaryFolder folder;
  writeFile(folder / "model.textproto", text);
  writeFile(folder / "data.csv", reference::layerRows);
  Compiled compiled(folder / "model.textproto", {}, "");
  ASSERT_TRUE(compiled.ok()) << compiled.errors();
  Trained before = compiled.train(folder / "data.csv", "before", {.steps = 2, .load = ""});
  Trained after = compiled.train(folder / "data.csv", "after", {.steps = 3, .load = "before"});
  ASSERT_TRUE(before.ran.ok() && after.ran.ok()) << before.ran.err << after.ran.err;

  description::Loaded loaded = reference::loadText(text);
  std::vector<reference::Row> batch = reference::readRows(loaded, reference::layerRows);
  reference::Reference reference(loaded);
  reference.train(batch, 2); // dropout knows the step
  ASSERT_EQ(before.tensors.size(), reference.parameters.size());
  for (auto &[name, parameter] : reference.parameters) {
    const std::vector<float> &values = before.tensors.at(name).values;
    parameter.value.values.assign(values.begin(), values.end());
  }
  double largest = 0;
  for (auto &[name, tensor] : before.tensors)
    for (size_t i = 0; i < tensor.values.size(); ++i) {
      double expected = centralDifference(reference, batch, name, i);
      double found = (double(tensor.values[i]) - double(after.tensors.at(name).values[i])) / rate;
      EXPECT_NEAR(found, expected, 1e-6 + 1e-5 * std::abs(expected)) << name << " " << i;
      largest = std::max(largest, std::abs(expected));
    }
  EXPECT_GT(largest, 1e-3);
}

struct Case {
  const char *layer, *pooling;
  int64_t dim;
};

/// The name of the test that users of ctest see.
void PrintTo(const Case &one, std::ostream *stream) { *stream << one.layer << ' ' << one.pooling << ' ' << one.dim; }

std::vector<Case> cases() {
  const char *poolings[] = {"SUM", "MEAN", "MAX"};
  std::vector<Case> all;
  for (const char *layer : reference::layerCases)
    all.push_back({layer, poolings[all.size() % 3], 3});
  all.push_back({"input: [\"a\", \"b\"] sum {}", "MEAN", 70}); // wider than a vector, and not a multiple of one
  all.push_back({"input: [\"a\", \"b\", \"c\"] fm {}", "SUM", 70});
  return all;
}

class CompiledGradientTest : public testing::TestWithParam<Case> {};

TEST_P(CompiledGradientTest, MatchesCentralDifferences) {
  checkGradients(reference::layerModel(GetParam().layer, GetParam().pooling, GetParam().dim));
}

INSTANTIATE_TEST_SUITE_P(Layers, CompiledGradientTest, testing::ValuesIn(cases()));

TEST(CompiledGradientTest, LossesAddUp) { checkGradients(reference::twoTasksModel()); }

} // namespace
} // namespace sparsec::execution
