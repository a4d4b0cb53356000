// Pooled rows, shares of a maximum's gradient, and scales of bags, against plain loops, in every order of fibers.
#include "test/unit/gpu/GpuRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

const int64_t dims[] = {1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 129, 256, 1023, 1024, 2048};

struct Data {
  static constexpr int64_t bags = 21, count = 17;
  int64_t dim;
  std::vector<int64_t> offsets{2}, places{0, 0}, counts; // positions need not begin at 0
  std::vector<float> weights, rows, gradient;

  Data(int64_t dim, std::mt19937 &random) : dim(dim) {
    for (int64_t bag = 0; bag < bags; ++bag) {
      for (int64_t k = random() % 4 == 0 ? 0 : random() % 7; k > 0; --k)
        places.push_back(int64_t(random() % count));
      offsets.push_back(int64_t(places.size()));
      counts.push_back(length(bag) + (bag % 2 == 0));
    }
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (size_t k = 0; k < places.size(); ++k)
      weights.push_back(uniform(random));
    for (int64_t i = 0; i < count * dim; ++i)
      rows.push_back(std::round(uniform(random) * 4) / 4); // many ties
    for (int64_t i = 0; i < bags * dim; ++i)
      gradient.push_back(uniform(random));
  }
  int64_t length(int64_t bag) const { return offsets[bag + 1] - offsets[bag]; }
  float row(int64_t k, int64_t c) const { return rows[places[k] * dim + c]; }
  /// The position that wins a column of a bag; -1: a zero row, or none at all.
  int64_t winner(int64_t bag, int64_t c, bool counted) const {
    int64_t best = -1;
    for (int64_t k = offsets[bag]; k < offsets[bag + 1]; ++k)
      if (best < 0 || row(k, c) > row(best, c))
        best = k;
    return best >= 0 && counted && counts[bag] > length(bag) && row(best, c) < 0 ? -1 : best;
  }
};

class GpuPooling : public testing::TestWithParam<int64_t> {
protected:
  static void SetUpTestSuite() {
    runner = new GpuRunner;
    for (int64_t dim : dims) {
      runner->kernels().poolRows(dim, false);
      runner->kernels().poolRows(dim, true);
      runner->kernels().poolMaxGrad(dim);
    }
    runner->kernels().bagScale();
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  const SparsecKernel &kernel(const std::string &what) { return runner->kernel(what + "_d" + std::to_string(dim)); }
  static GpuRunner *runner;
  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
  Data data{dim, random};
};
GpuRunner *GpuPooling::runner = nullptr;

TEST_P(GpuPooling, MaxAndSum) {
  for (EmulationOrder order : orders())
    for (bool max : {false, true})
      for (bool other : {false, true}) { // zero rows, or weights
        TestDevice device;
        device.emulator.setOrder(order);
        float *out = device.floats(Data::bags * dim);
        Status status =
            device.run(kernel(max ? "pool_max" : "pool_sum"), Data::bags, device.put(data.rows),
                       device.put(data.offsets), device.put(data.places), other ? device.put(data.weights) : nullptr,
                       other ? device.put(data.counts) : nullptr, Data::bags, out);
        ASSERT_TRUE(status.ok()) << status.message();
        for (int64_t bag = 0; bag < Data::bags; ++bag)
          for (int64_t c = 0; c < dim; ++c) {
            float sum = 0;
            for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k)
              sum = std::fma(other ? data.weights[k] : 1.0f, data.row(k, c), sum);
            int64_t k = data.winner(bag, c, other);
            ASSERT_EQ(out[bag * dim + c], max ? (k < 0 ? 0 : data.row(k, c)) : sum) << "bag " << bag;
          }
      }
}

TEST_P(GpuPooling, MaxGradient) {
  int64_t positions = int64_t(data.places.size());
  for (EmulationOrder order : orders())
    for (bool counted : {false, true}) {
      TestDevice device;
      device.emulator.setOrder(order);
      float *out = device.floats(positions * dim);
      Status status = device.run(kernel("pool_max_grad"), Data::bags, device.put(data.gradient), device.put(data.rows),
                                 device.put(data.offsets), device.put(data.places),
                                 counted ? device.put(data.counts) : nullptr, Data::bags, out);
      ASSERT_TRUE(status.ok()) << status.message();
      for (int64_t bag = 0; bag < Data::bags; ++bag)
        for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k)
          for (int64_t c = 0; c < dim; ++c)
            ASSERT_EQ(out[k * dim + c], data.winner(bag, c, counted) == k ? data.gradient[bag * dim + c] : 0)
                << "bag " << bag << ", position " << k << ", column " << c;
    }
}

TEST_P(GpuPooling, BagScale) {
  for (int64_t k = data.offsets[7]; k < data.offsets[8]; ++k) // cancels out
    data.weights[k] = 0;
  for (bool weighted : {false, true})
    for (bool counted : {false, true}) {
      TestDevice device;
      float *out = device.floats(Data::bags);
      Status status = device.run(runner->kernel("bag_scale"), Data::bags, device.put(data.offsets),
                                 weighted ? device.put(data.weights) : nullptr,
                                 counted ? device.put(data.counts) : nullptr, Data::bags, out);
      ASSERT_TRUE(status.ok()) << status.message();
      for (int64_t bag = 0; bag < Data::bags; ++bag) {
        float sum = 0;
        for (int64_t k = data.offsets[bag]; k < data.offsets[bag + 1]; ++k)
          sum += data.weights[k];
        int64_t count = counted ? data.counts[bag] : data.length(bag);
        ASSERT_EQ(out[bag], weighted ? (sum == 0 ? 0 : 1 / sum) : 1 / float(std::max<int64_t>(count, 1)));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, GpuPooling, testing::ValuesIn(dims));

} // namespace
