// The dot interaction and its gradient against loops in double precision.
#include "test/unit/kernels/KernelRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec::codegen;

struct Shape {
  int64_t inputs, dim;
};
static const Shape shapes[] = {{1, 4},  {2, 1},  {3, 2},   {4, 3},   {5, 4},    {6, 8},   {7, 16},
                               {8, 31}, {9, 64}, {10, 65}, {27, 16}, {27, 128}, {5, 129}, {4, 300}};
static void PrintTo(const Shape &shape, std::ostream *out) { *out << "n" << shape.inputs << "_d" << shape.dim; }

class Interaction : public testing::TestWithParam<Shape> {
protected:
  static void SetUpTestSuite() {
    runner = new KernelRunner;
    for (Shape shape : shapes)
      for (bool self : {false, true}) {
        runner->kernels().dotInteraction(shape.inputs, shape.dim, self);
        runner->kernels().dotInteractionGrad(shape.inputs, shape.dim, self);
      }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  static KernelRunner *runner;

  static constexpr int64_t samples = 11;
  int64_t n = GetParam().inputs, dim = GetParam().dim;
  std::mt19937 random{uint32_t(n * 1000 + dim)};
  std::vector<std::vector<float>> inputs = [&] {
    std::vector<std::vector<float>> all;
    for (int64_t i = 0; i < n; ++i)
      all.push_back(randomFloats(samples * dim, random));
    return all;
  }();
  std::string name(const char *what, bool self) const {
    return std::string(what) + "_n" + std::to_string(n) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  }
  int64_t pairs(bool self) const { return n * (n - 1) / 2 + (self ? n : 0); }
};
KernelRunner *Interaction::runner = nullptr;

TEST_P(Interaction, Pairs) {
  for (bool self : {false, true}) {
    std::vector<float> out(samples * pairs(self) + 4, -7), pieces = out; // nothing is written behind the last pair
    std::vector<void *> argument{out.data()};
    for (auto &input : inputs)
      argument.push_back(input.data());
    auto kernel = runner->get<SparsecBody>(name("dot_interaction", self));
    kernel(argument.data(), 0, samples);
    for (int64_t s = 0, at = 0; s < samples; ++s)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i + self; ++j, ++at) {
          double sum = 0;
          for (int64_t c = 0; c < dim; ++c)
            sum += double(inputs[i][s * dim + c]) * inputs[j][s * dim + c];
          ASSERT_NEAR(out[at], sum, 2e-5) << "sample " << s << ", pair " << i << ", " << j;
        }
    for (int64_t i = 0; i < 4; ++i)
      ASSERT_EQ(out[samples * pairs(self) + i], -7);
    argument[0] = pieces.data();
    inPieces(samples, random, [&](int64_t b, int64_t e) { kernel(argument.data(), b, e); });
    EXPECT_EQ(out, pieces);
  }
}

TEST_P(Interaction, Gradient) {
  for (bool self : {false, true}) {
    std::vector<float> gradient = randomFloats(samples * pairs(self), random);
    std::vector<std::vector<float>> results(n, std::vector<float>(samples * dim, NAN)), pieces = results;
    std::vector<std::vector<double>> expected(n, std::vector<double>(samples * dim));
    for (int64_t s = 0, at = 0; s < samples; ++s)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i + self; ++j, ++at)
          for (int64_t c = s * dim; c < (s + 1) * dim; ++c) {
            expected[i][c] += double(gradient[at]) * inputs[j][c];
            expected[j][c] += double(gradient[at]) * inputs[i][c];
          }
    auto kernel = runner->get<SparsecBody>(name("dot_interaction_grad", self));
    auto argumentFor = [&](std::vector<std::vector<float>> &into) {
      std::vector<void *> argument{gradient.data()};
      for (auto &input : inputs)
        argument.push_back(input.data());
      for (auto &result : into)
        argument.push_back(result.data());
      return argument;
    };
    kernel(argumentFor(results).data(), 0, samples);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < samples * dim; ++c)
        ASSERT_NEAR(results[i][c], expected[i][c], 2e-5) << "input " << i << ", element " << c;
    inPieces(samples, random, [&](int64_t b, int64_t e) { kernel(argumentFor(pieces).data(), b, e); });
    EXPECT_EQ(results, pieces);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Interaction, testing::ValuesIn(shapes));
