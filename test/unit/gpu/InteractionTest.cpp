// The dot interaction and its gradient on a device against loops in double precision, in every order of fibers.
#include "test/unit/gpu/GpuRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

struct Shape {
  int64_t inputs, dim;
};
const Shape shapes[] = {{1, 4},  {2, 1},   {3, 2},    {4, 3},   {5, 4},   {6, 8},    {7, 16},  {8, 31},
                        {9, 64}, {27, 16}, {27, 128}, {5, 129}, {4, 300}, {3, 2048}, {40, 64}, {100, 128}};
void PrintTo(const Shape &shape, std::ostream *out) { *out << "n" << shape.inputs << "_d" << shape.dim; }

class GpuInteraction : public testing::TestWithParam<Shape> {
protected:
  static void SetUpTestSuite() {
    runner = new GpuRunner;
    for (size_t i = 0; i < std::size(shapes); ++i)
      for (bool self : {false, true}) {
        runner->kernels().dotInteraction(shapes[i].inputs, shapes[i].dim, self);
        runner->kernels().dotInteractionGrad(shapes[i].inputs, shapes[i].dim, self);
      }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  static GpuRunner *runner;

  static constexpr int64_t samples = 5;
  int64_t n = GetParam().inputs, dim = GetParam().dim;
  std::mt19937 random{uint32_t(n * 1000 + dim)};
  std::vector<float> randomFloats(int64_t count) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(count);
    for (float &value : values)
      value = uniform(random);
    return values;
  }
  std::vector<std::vector<float>> inputs = [&] {
    std::vector<std::vector<float>> all;
    for (int64_t i = 0; i < n; ++i)
      all.push_back(randomFloats(samples * dim));
    return all;
  }();
  const SparsecKernel &kernel(const char *what, bool self) const {
    return runner->kernel(std::string(what) + "_n" + std::to_string(n) + "_d" + std::to_string(dim) +
                          (self ? "_self" : ""));
  }
  int64_t pairs(bool self) const { return n * (n - 1) / 2 + (self ? n : 0); }
  Status launch(TestDevice &device, const SparsecKernel &kernel, const std::vector<int64_t> &arguments) {
    EXPECT_EQ(kernel.arguments, int64_t(arguments.size()));
    return device.emulator.launch(kernel, (samples + kernel.units - 1) / kernel.units, arguments.data());
  }
};
GpuRunner *GpuInteraction::runner = nullptr;

TEST_P(GpuInteraction, Pairs) {
  for (bool self : {false, true}) {
    std::vector<float> first;
    for (EmulationOrder order : orders()) {
      TestDevice device;
      device.emulator.setOrder(order);
      float *out = device.floats(samples * pairs(self));
      std::vector<int64_t> arguments{word(out), samples};
      for (auto &input : inputs)
        arguments.push_back(word(device.put(input)));
      Status status = launch(device, kernel("dot_interaction", self), arguments);
      ASSERT_TRUE(status.ok()) << status.message();
      for (int64_t s = 0, at = 0; s < samples; ++s)
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < i + self; ++j, ++at) {
            double sum = 0;
            float inOrder = 0;
            for (int64_t c = 0; c < dim; ++c) {
              sum += double(inputs[i][s * dim + c]) * inputs[j][s * dim + c];
              inOrder = std::fma(inputs[i][s * dim + c], inputs[j][s * dim + c], inOrder);
            }
            ASSERT_EQ(out[at], inOrder) << "sample " << s << ", pair " << i << ", " << j;
            ASSERT_NEAR(out[at], sum, 2e-5 * std::max(1.0, std::abs(sum)))
                << "sample " << s << ", pair " << i << ", " << j;
          }
      std::vector<float> now = taken(out, samples * pairs(self));
      if (first.empty())
        first = now;
      ASSERT_EQ(first, now) << "order " << order.kind;
    }
  }
}

TEST_P(GpuInteraction, Gradient) {
  for (bool self : {false, true}) {
    std::vector<float> gradient = randomFloats(samples * pairs(self)), first;
    std::vector<std::vector<double>> expected(n, std::vector<double>(samples * dim));
    for (int64_t s = 0, at = 0; s < samples; ++s)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i + self; ++j, ++at)
          for (int64_t c = s * dim; c < (s + 1) * dim; ++c) {
            expected[i][c] += double(gradient[at]) * inputs[j][c];
            expected[j][c] += double(gradient[at]) * inputs[i][c];
          }
    for (EmulationOrder order : orders()) {
      TestDevice device;
      device.emulator.setOrder(order);
      std::vector<int64_t> arguments{word(device.put(gradient)), samples};
      std::vector<float *> results;
      for (auto &input : inputs)
        arguments.push_back(word(device.put(input)));
      for (int64_t i = 0; i < n; ++i) {
        results.push_back(device.floats(samples * dim));
        arguments.push_back(word(results.back()));
      }
      Status status = launch(device, kernel("dot_interaction_grad", self), arguments);
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<float> now;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < samples * dim; ++c) {
          ASSERT_NEAR(results[i][c], expected[i][c], 5e-5) << "input " << i << ", element " << c;
          now.push_back(results[i][c]);
        }
      if (first.empty())
        first = now;
      ASSERT_EQ(first, now) << "order " << order.kind;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuInteraction, testing::ValuesIn(shapes));

} // namespace
