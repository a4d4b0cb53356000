// Combined and copied rows, and the keys of row gradients, against plain loops, in every order of fibers.
#include "test/support/RandomFloats.h"
#include "test/unit/gpu/TestDevice.h"
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/TestedShapes.h"
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

class GpuRows : public testing::TestWithParam<int64_t> {
protected:
  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
};

TEST_P(GpuRows, Combine) {
  struct Case {
    int64_t bags, sources, stride, shift;
  } cases[] = {{5, 1, dim, 0}, {0, 2, dim, 0}, {7, 3, dim + 4, 4}, {3, 2, dim + 3, 1}};
  for (LaunchOrder order : orders()) {
    TestDevice device(order);
    std::vector<SparsecCombineEntry> list;
    std::vector<std::vector<std::vector<float>>> rows;
    std::vector<float *> outs;
    int64_t bags = 0;
    for (const Case &c : cases) {
      std::vector<const float *> places;
      rows.emplace_back();
      for (int64_t s = 0; s < c.sources; ++s) {
        rows.back().push_back(randomFloats(c.bags * dim + s, random));
        places.push_back(device.put(rows.back().back()) + s); // sources lie at any multiple of 4 bytes
      }
      outs.push_back(device.put(std::vector<float>(c.bags * c.stride + c.shift, -7)));
      list.push_back({bags, device.put(places), c.sources, c.stride, outs.back() + c.shift});
      bags += c.bags;
    }
    list.push_back({bags, nullptr, 0, 0, nullptr});
    Status status = device.run(testedKernel(KernelSuite::rows, "combine_d" + std::to_string(dim)), bags,
                               device.put(list), int64_t(std::size(cases)));
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t e = 0; e < std::size(cases); ++e)
      for (int64_t bag = 0; bag < cases[e].bags; ++bag)
        for (int64_t c = 0; c < std::min(cases[e].stride, dim); ++c) {
          float sum = rows[e][0][bag * dim + c];
          for (int64_t s = 1; s < cases[e].sources; ++s)
            sum += rows[e][s][bag * dim + c + s];
          ASSERT_EQ(outs[e][cases[e].shift + bag * cases[e].stride + c], sum) << "entry " << e << ", bag " << bag;
        }
    for (int64_t c = dim; c < dim + 4; ++c) // columns of others stay
      ASSERT_EQ(outs[2][4 + c], -7);
  }
}

TEST_P(GpuRows, Copy) {
  int64_t rows = dim > 200 ? 3 : 100;
  for (LaunchOrder order : orders()) {
    TestDevice device(order);
    std::vector<float> from = randomFloats(rows * (dim + 2), random);
    float *there = device.put(from), *wide = device.put(std::vector<float>(rows * (dim + 5), -7)),
          *narrow = device.floats(rows * dim);
    std::vector<SparsecCopyEntry> list{{0, there, wide, dim, dim + 2, dim + 5},
                                       {rows * dim, there, narrow, dim, dim + 2, dim},
                                       {2 * rows * dim, nullptr, nullptr, 0, 0, 0}};
    int64_t floats = 2 * rows * dim;
    Status status = device.run(testedKernel(KernelSuite::rows, "copy_rows"), floats, device.put(list), int64_t(2));
    ASSERT_TRUE(status.ok()) << status.message();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t c = 0; c < dim + 5; ++c) {
        ASSERT_EQ(wide[row * (dim + 5) + c], c < dim ? from[row * (dim + 2) + c] : -7);
        if (c < dim)
          ASSERT_EQ(narrow[row * dim + c], from[row * (dim + 2) + c]);
      }
  }
}

TEST_P(GpuRows, Keys) {
  std::vector<int64_t> offsets{3, 3, 5, 5, 9, 10}, values;
  for (int64_t i = 0; i < 10; ++i)
    values.push_back(1000 + int64_t(random() % 50));
  std::vector<float> weights = randomFloats(10, random);
  const int64_t slots = 20;
  for (LaunchOrder order : orders()) {
    TestDevice device(order);
    float *gradient = device.floats(10 * dim);
    int64_t *ids = device.put(values);
    std::vector<SparsecOccurrences> list{
        {0, 5, device.put(offsets), ids, device.put(weights), gradient, dim, 1000, int64_t(1) << 40},
        {7, 10, nullptr, ids, nullptr, gradient, dim, 990, 77},
        {17, 0, nullptr, nullptr, nullptr, nullptr, 0, 0, int64_t(1) << 41}};
    auto *keys = device.put(std::vector<uint64_t>(slots, 0));
    auto *places = device.put(std::vector<uint32_t>(slots, 0));
    auto *rows = device.put(std::vector<const float *>(slots, nullptr));
    float *factors = device.floats(slots);
    Status status = device.run(testedKernel(KernelSuite::rows, "row_keys"), slots, device.put(list), int64_t(2), slots,
                               keys, places, rows, factors);
    ASSERT_TRUE(status.ok()) << status.message();
    int64_t bagOf[] = {1, 1, 3, 3, 3, 3, 4};
    for (int64_t k = 0; k < 17; ++k) {
      bool jagged = k < 7;
      int64_t position = jagged ? 3 + k : k - 7;
      ASSERT_EQ(keys[k], jagged ? (uint64_t(1) << 40) + values[position] - 1000 : 77 + values[position] - 990);
      ASSERT_EQ(places[k], k);
      ASSERT_EQ(rows[k], gradient + (jagged ? bagOf[k] : position) * dim);
      ASSERT_EQ(factors[k], jagged ? weights[position] : 1.0f);
    }
    for (int64_t k = 17; k < slots; ++k) {
      ASSERT_EQ(keys[k], uint64_t(1) << 41);
      ASSERT_EQ(places[k], k);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dims, GpuRows, testing::ValuesIn(rowDims));

} // namespace
