// Pooling of rows that are here, its gradient, and the scale of bags, on a device: against plain loops, in every order
// of fibers.
#include "test/support/RandomFloats.h"
#include "test/unit/gpu/TestDevice.h"
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/TestedShapes.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

class GpuPooling : public testing::TestWithParam<int64_t> {
protected:
  const SparsecKernel &kernel(const char *what) {
    return testedKernel(KernelSuite::pooling, what + std::to_string(dim));
  }
  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
};

/// Bags of places in `count` rows. Three positions before the first bag are nobody's.
struct Data {
  int64_t dim, count;
  std::vector<int64_t> offsets{3}, places{-1, -1, 1 << 30}, counts;
  std::vector<float> weights, rows, gradient;

  Data(int64_t dim, int64_t count, const std::vector<int64_t> &lengths, std::mt19937 &random) : dim(dim), count(count) {
    for (int64_t length : lengths) {
      for (int64_t k = 0; k < length; ++k) // the first row often, the last one never
        places.push_back(random() % 4 == 0 ? 0 : int64_t(random() % std::max<uint64_t>(1, count - 1)));
      offsets.push_back(int64_t(places.size()));
    }
    rows = randomFloats(count * dim, random);
    for (float &x : rows)
      x = std::round(x * 4) / 4; // many ties
    gradient = randomFloats(bags() * dim, random);
  }
  void addWeights(std::mt19937 &random) { weights = randomFloats(int64_t(places.size()), random); }
  /// Every second bag has lost an id.
  void addCounts() {
    for (int64_t bag = 0; bag < bags(); ++bag)
      counts.push_back(length(bag) + bag % 2);
  }
  int64_t bags() const { return int64_t(offsets.size()) - 1; }
  int64_t length(int64_t bag) const { return offsets[bag + 1] - offsets[bag]; }
  float weight(int64_t k) const { return weights.empty() ? 1 : weights[k]; }
  float row(int64_t k, int64_t c) const { return rows[places[k] * dim + c]; }

  /// The position that wins a column of a bag; -1: a zero row, or none at all.
  int64_t winner(int64_t bag, int64_t c) const {
    int64_t best = -1;
    for (int64_t k = offsets[bag]; k < offsets[bag + 1]; ++k)
      if (best < 0 || row(k, c) > row(best, c))
        best = k;
    bool zeros = !counts.empty() && counts[bag] > length(bag);
    return best >= 0 && zeros && row(best, c) < 0 ? -1 : best;
  }

  template <typename T> static const T *orNull(TestDevice &device, const std::vector<T> &values) {
    return values.empty() ? nullptr : device.put(values);
  }
  /// The same floats in every order of fibers; those of the first.
  using Launch = std::function<Status(TestDevice &, float *out)>;
  static std::vector<float> inAllOrders(int64_t floats, Launch launch) {
    std::vector<float> first;
    for (LaunchOrder order : orders()) {
      TestDevice device(order);
      float *out = device.floats(floats);
      Status status = launch(device, out);
      EXPECT_TRUE(status.ok()) << status.message();
      std::vector<float> now = taken(out, floats);
      if (order.kind == EmulationOrder::forward)
        first = now;
      EXPECT_EQ(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)), 0) << "order " << order.kind;
    }
    return first;
  }
  std::vector<float> pool(const SparsecKernel &kernel) const {
    return inAllOrders(bags() * dim, [&](TestDevice &device, float *out) {
      return device.run(kernel, bags(), device.put(rows), device.put(offsets), device.put(places),
                        orNull(device, weights), orNull(device, counts), bags(), out);
    });
  }
  std::vector<float> poolGrad(const SparsecKernel &kernel) const {
    return inAllOrders(count * dim, [&](TestDevice &device, float *out) {
      return device.run(kernel, count, device.put(gradient), device.put(rows), device.put(offsets), device.put(places),
                        orNull(device, weights), orNull(device, counts), bags(), count, out);
    });
  }
};

const std::vector<int64_t> lengths{0, 1, 2, 31, 33, 200, 0, 0, 5, 4, 3, 8, 0};

TEST_P(GpuPooling, Max) {
  for (bool counted : {false, true}) {
    Data data(dim, 23, lengths, random);
    if (counted)
      data.addCounts();
    std::vector<float> out = data.pool(kernel("pool_max_d"));
    for (int64_t bag = 0; bag < data.bags(); ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        int64_t k = data.winner(bag, c);
        ASSERT_EQ(out[bag * dim + c], k < 0 ? 0 : data.row(k, c)) << "bag " << bag << ", column " << c;
      }
  }
}

TEST_P(GpuPooling, Sum) {
  for (bool weighted : {false, true}) {
    Data data(dim, 23, lengths, random);
    if (weighted)
      data.addWeights(random);
    std::vector<float> out = data.pool(kernel("pool_sum_d"));
    for (int64_t bag = 0; bag < data.bags(); ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        double sum = 0;
        float inOrder = 0;
        for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k) {
          sum += double(data.weight(k)) * data.row(k, c);
          inOrder = std::fma(data.weight(k), data.row(k, c), inOrder);
        }
        ASSERT_EQ(out[bag * dim + c], inOrder) << "bag " << bag << ", column " << c;
        ASSERT_NEAR(out[bag * dim + c], sum, 1e-5 * std::max<double>(1, data.length(bag)));
      }
  }
}

void checkGradient(const Data &data, bool max, const std::vector<float> &out) {
  std::vector<double> expected(data.count * data.dim), magnitude(data.count * data.dim, 1);
  std::vector<float> inOrder(data.count * data.dim);
  for (int64_t bag = 0; bag < data.bags(); ++bag)
    for (int64_t c = 0; c < data.dim; ++c) {
      int64_t winner = max ? data.winner(bag, c) : 0;
      for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k)
        if (!max || k == winner) {
          float g = data.weight(k) * data.gradient[bag * data.dim + c];
          int64_t at = data.places[k] * data.dim + c;
          expected[at] += double(data.weight(k)) * data.gradient[bag * data.dim + c];
          magnitude[at] += std::abs(double(g));
          inOrder[at] += g;
        }
    }
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(out[i], inOrder[i]) << "row " << i / data.dim << ", column " << i % data.dim;
    ASSERT_NEAR(out[i], expected[i], 1e-5 * magnitude[i]);
  }
}

TEST_P(GpuPooling, SumGradient) {
  for (bool weighted : {false, true}) {
    Data data(dim, 90, lengths, random);
    if (weighted)
      data.addWeights(random);
    ASSERT_NO_FATAL_FAILURE(checkGradient(data, false, data.poolGrad(kernel("pool_sum_grad_d"))));
  }
}
TEST_P(GpuPooling, MaxGradient) {
  for (bool counted : {false, true}) {
    Data data(dim, 90, {0, 1, 2, 31, 33, 0, 0, 60, 5, 4, 3, 8, 0}, random);
    if (counted)
      data.addCounts();
    ASSERT_NO_FATAL_FAILURE(checkGradient(data, true, data.poolGrad(kernel("pool_max_grad_d"))));
  }
}
/// More positions than a block looks at at once, more rows than a block has.
TEST_P(GpuPooling, GradientOfManyRows) {
  std::vector<int64_t> many;
  for (int64_t bag = 0; bag < 1100; ++bag)
    many.push_back(int64_t(random() % 8));
  for (bool max : {false, true}) {
    Data data(dim, dim < 8 ? 600 : 150, many, random);
    ASSERT_GT(data.places.size(), 2048u);
    ASSERT_NO_FATAL_FAILURE(
        checkGradient(data, max, data.poolGrad(kernel(max ? "pool_max_grad_d" : "pool_sum_grad_d"))));
  }
}
/// Every position has the one row.
TEST_P(GpuPooling, GradientOfOneRow) {
  Data data(dim, 1, {2, 0, 40, 300}, random);
  checkGradient(data, false, data.poolGrad(kernel("pool_sum_grad_d")));
  checkGradient(data, true, data.poolGrad(kernel("pool_max_grad_d")));
}
TEST_P(GpuPooling, Nothing) {
  for (bool max : {false, true}) {
    Data none(dim, 0, {}, random), empty(dim, 70, {0, 0}, random);
    EXPECT_TRUE(none.pool(kernel(max ? "pool_max_d" : "pool_sum_d")).empty());
    EXPECT_TRUE(none.poolGrad(kernel(max ? "pool_max_grad_d" : "pool_sum_grad_d")).empty());
    for (float x : empty.poolGrad(kernel(max ? "pool_max_grad_d" : "pool_sum_grad_d")))
      ASSERT_EQ(x, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Dims, GpuPooling, testing::ValuesIn(poolingDims));

class GpuBagScale : public GpuPooling {};
TEST_P(GpuBagScale, CountsAndWeights) {
  for (bool weighted : {false, true})
    for (bool counted : {false, true}) {
      std::vector<int64_t> lengths;
      for (int64_t bag = 0; bag < 300; ++bag)
        lengths.push_back(int64_t(random() % 5));
      lengths[7] = 3;
      Data data(1, 9, lengths, random);
      if (weighted) {
        data.addWeights(random);
        std::fill(&data.weights[data.offsets[7]], &data.weights[data.offsets[8]], 0.0f); // cancels out
      }
      if (counted)
        data.addCounts();
      std::vector<float> out = Data::inAllOrders(data.bags(), [&](TestDevice &device, float *out) {
        return device.run(testedKernel(KernelSuite::pooling, "bag_scale"), data.bags(), device.put(data.offsets),
                          Data::orNull(device, data.weights), Data::orNull(device, data.counts), data.bags(), out);
      });
      for (int64_t bag = 0; bag < data.bags(); ++bag) {
        float sum = 0, count = float(std::max<int64_t>(1, counted ? data.counts[bag] : data.length(bag)));
        for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k)
          sum += data.weight(k);
        ASSERT_EQ(out[bag], weighted ? (sum == 0 ? 0 : 1 / sum) : 1 / count) << "bag " << bag;
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Once, GpuBagScale, testing::Values(int64_t(1)));

} // namespace
