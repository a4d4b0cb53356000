// The dot interaction of a device and its gradient against loops in double precision, in every order of fibers.
#include "test/support/RandomFloats.h"
#include "test/unit/gpu/TestDevice.h"
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/TestedShapes.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace sparsec::codegen::device {
void PrintTo(const TestedInteraction &shape, std::ostream *out) { *out << "n" << shape.inputs << "_d" << shape.dim; }
} // namespace sparsec::codegen::device

namespace {

class GpuInteraction : public testing::TestWithParam<TestedInteraction> {
protected:
  int64_t n = GetParam().inputs, dim = GetParam().dim;
  std::mt19937 random{uint32_t(n * 1000 + dim)};

  const SparsecKernel &kernel(const char *what, bool self) const {
    return testedKernel(KernelSuite::interactions, std::string(what) + "_n" + std::to_string(n) + "_d" +
                                                       std::to_string(dim) + (self ? "_self" : ""));
  }
  int64_t pairs(bool self) const { return n * (n - 1) / 2 + (self ? n : 0); }
  std::vector<std::vector<float>> randomInputs(int64_t samples) {
    std::vector<std::vector<float>> all;
    for (int64_t i = 0; i < n; ++i)
      all.push_back(randomFloats(samples * dim, random));
    return all;
  }
  static void launch(TestDevice &device, const SparsecKernel &kernel, int64_t samples, std::vector<int64_t> words) {
    ASSERT_EQ(kernel.arguments, int32_t(words.size()));
    Status status = device.place->launch(kernel, (samples + kernel.units - 1) / kernel.units, words.data());
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

/// Also what the sum is when it is added up in order.
struct Sum {
  double exact = 0, magnitude = 1;
  float inOrder = 0;
  void add(float x, float y) {
    exact += double(x) * y;
    magnitude += std::abs(double(x) * y);
    inOrder = std::fma(x, y, inOrder);
  }
  void compare(float got, int64_t terms) const {
    ASSERT_EQ(got, inOrder);
    ASSERT_NEAR(got, exact, 6e-8 * double(terms + 1) * magnitude);
  }
};

TEST_P(GpuInteraction, Pairs) {
  for (bool self : {false, true}) {
    const SparsecKernel &dot = kernel("dot_interaction", self);
    for (int64_t samples : {int64_t(0), int64_t(1), int64_t(dot.units) + 2}) {
      auto inputs = randomInputs(samples);
      std::vector<float> first;
      for (LaunchOrder order : orders()) {
        TestDevice device(order);
        float *out = device.floats(samples * pairs(self));
        std::vector<int64_t> words{samples, word(out)};
        for (auto &input : inputs)
          words.push_back(word(device.put(input)));
        ASSERT_NO_FATAL_FAILURE(launch(device, dot, samples, words));
        std::vector<float> now = taken(out, samples * pairs(self));
        if (order.kind == EmulationOrder::forward) {
          first = now;
          for (int64_t s = 0, at = 0; s < samples; ++s)
            for (int64_t i = 0; i < n; ++i)
              for (int64_t j = 0; j < i + self; ++j, ++at) {
                Sum sum;
                for (int64_t c = s * dim; c < (s + 1) * dim; ++c)
                  sum.add(inputs[i][c], inputs[j][c]);
                ASSERT_NO_FATAL_FAILURE(sum.compare(now[at], dim))
                    << "sample " << s << ", pair " << i << ", " << j << (self ? ", self" : "");
              }
        }
        ASSERT_EQ(first, now) << "order " << order.kind;
      }
    }
  }
}

TEST_P(GpuInteraction, Gradient) {
  for (bool self : {false, true}) {
    const SparsecKernel &grad = kernel("dot_interaction_grad", self);
    for (int64_t samples : {int64_t(0), int64_t(1), int64_t(grad.units) + 2}) {
      auto inputs = randomInputs(samples);
      std::vector<float> gradient = randomFloats(samples * pairs(self), random), first;
      for (LaunchOrder order : orders()) {
        TestDevice device(order);
        std::vector<int64_t> words{samples, word(device.put(gradient))};
        std::vector<float *> results;
        for (auto &input : inputs)
          words.push_back(word(device.put(input)));
        for (int64_t i = 0; i < n; ++i) {
          results.push_back(device.floats(samples * dim));
          words.push_back(word(results.back()));
        }
        ASSERT_NO_FATAL_FAILURE(launch(device, grad, samples, words));
        std::vector<float> now;
        for (float *result : results)
          now.insert(now.end(), result, result + samples * dim);
        if (order.kind == EmulationOrder::forward) {
          first = now;
          for (int64_t i = 0; i < n; ++i)
            for (int64_t s = 0; s < samples; ++s)
              for (int64_t c = s * dim; c < (s + 1) * dim; ++c) {
                Sum sum;
                for (int64_t j = 0; j < n; ++j) {
                  if (i == j && !self)
                    continue;
                  int64_t row = std::max(i, j), at = row * (self ? row + 1 : row - 1) / 2 + std::min(i, j);
                  float g = gradient[s * pairs(self) + at];
                  sum.add(i == j ? 2 * g : g, inputs[j][c]);
                }
                ASSERT_NO_FATAL_FAILURE(sum.compare(now[i * samples * dim + c], n))
                    << "input " << i << ", sample " << s << ", element " << c << (self ? ", self" : "");
              }
        }
        ASSERT_EQ(first, now) << "order " << order.kind;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuInteraction, testing::ValuesIn(interactionShapes()));

} // namespace
