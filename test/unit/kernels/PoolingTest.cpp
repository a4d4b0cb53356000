// Pooling of rows that are here, its gradient, and the scale of bags.
#include "test/unit/kernels/KernelRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec::codegen;

static const int64_t dims[] = {1, 3, 4, 16, 31, 64, 100, 129, 256};

class PoolingKernels : public testing::TestWithParam<int64_t> {
protected:
  static void SetUpTestSuite() {
    runner = new KernelRunner;
    runner->kernels().bagScale();
    for (int64_t dim : dims)
      for (bool max : {false, true}) {
        runner->kernels().poolRows(dim, max);
        runner->kernels().poolRowsGrad(dim, max);
      }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  static KernelRunner *runner;
  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
};
KernelRunner *PoolingKernels::runner = nullptr;

/// The position that wins a column of a bag; -1: a zero row, or none at all.
static int64_t winner(const Bags &at, const std::vector<float> &rows, int64_t dim, int64_t bag, int64_t c) {
  int64_t best = -1;
  for (int64_t k = at.offsets[bag]; k < at.offsets[bag + 1]; ++k)
    if (best < 0 || rows[at.values[k] * dim + c] > rows[at.values[best] * dim + c])
      best = k;
  bool zeros = at.counts[bag] > at.offsets[bag + 1] - at.offsets[bag];
  return best >= 0 && zeros && rows[at.values[best] * dim + c] < 0 ? -1 : best;
}

struct Data {
  static constexpr int64_t bags = 41, count = 17;
  Bags at;
  std::vector<float> rows, gradient;
  Data(int64_t dim, bool weighted, bool zeros, std::mt19937 &random)
      : at(bags, 0, count, weighted, random), rows(randomFloats(count * dim, random)),
        gradient(randomFloats(bags * dim, random)) {
    for (float &x : rows)
      x = std::round(x * 4) / 4; // many ties
    if (zeros)
      for (int64_t bag = 0; bag < bags; bag += 2)
        at.counts[bag] += 1;
    at.view.counts = at.counts.data();
  }
};

TEST_P(PoolingKernels, Max) {
  for (bool zeros : {false, true}) {
    Data data(dim, false, zeros, random);
    std::vector<float> out(Data::bags * dim, NAN), pieces = out;
    struct {
      const float *rows;
      const SparsecJagged *at;
      float *out;
    } argument{data.rows.data(), &data.at.view, out.data()};
    auto pool = runner->get<SparsecBody>("pool_max_d" + std::to_string(dim));
    pool(&argument, 0, Data::bags);
    for (int64_t bag = 0; bag < Data::bags; ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        int64_t k = winner(data.at, data.rows, dim, bag, c);
        ASSERT_EQ(out[bag * dim + c], k < 0 ? 0 : data.rows[data.at.values[k] * dim + c]);
      }
    argument.out = pieces.data();
    inPieces(Data::bags, random, [&](int64_t b, int64_t e) { pool(&argument, b, e); });
    EXPECT_EQ(out, pieces);
  }
}

TEST_P(PoolingKernels, Sum) {
  for (bool weighted : {false, true}) {
    Data data(dim, weighted, false, random);
    std::vector<float> out(Data::bags * dim, NAN);
    struct {
      const float *rows;
      const SparsecJagged *at;
      float *out;
    } argument{data.rows.data(), &data.at.view, out.data()};
    runner->get<SparsecBody>("pool_sum_d" + std::to_string(dim))(&argument, 0, Data::bags);
    for (int64_t bag = 0; bag < Data::bags; ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        double sum = 0;
        for (int64_t k = data.at.offsets[bag]; k < data.at.offsets[bag + 1]; ++k)
          sum += double(data.at.weight(k)) * data.rows[data.at.values[k] * dim + c];
        ASSERT_NEAR(out[bag * dim + c], sum, 1e-5);
      }
  }
}

TEST_P(PoolingKernels, Gradient) {
  for (bool max : {false, true})
    for (bool other : {false, true}) { // zero rows under max, weights under sum
      Data data(dim, !max && other, max && other, random);
      std::vector<float> out(Data::count * dim, NAN), pieces = out;
      std::vector<double> expected(Data::count * dim);
      for (int64_t bag = 0; bag < Data::bags; ++bag)
        for (int64_t c = 0; c < dim; ++c)
          for (int64_t k = data.at.offsets[bag]; k < data.at.offsets[bag + 1]; ++k)
            if (!max || k == winner(data.at, data.rows, dim, bag, c))
              expected[data.at.values[k] * dim + c] += double(data.at.weight(k)) * data.gradient[bag * dim + c];
      struct {
        const float *gradient, *rows;
        const SparsecJagged *at;
        float *out;
        int64_t count;
      } argument{data.gradient.data(), data.rows.data(), &data.at.view, out.data(), Data::count};
      auto pool = runner->get<SparsecBody>((max ? "pool_max_grad_d" : "pool_sum_grad_d") + std::to_string(dim));
      int64_t blocks = poolRowsGradBlocks(dim);
      pool(&argument, 0, blocks);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(out[i], expected[i], 1e-5) << "row " << i / dim << ", column " << i % dim;
      argument.out = pieces.data();
      inPieces(blocks, random, [&](int64_t b, int64_t e) { pool(&argument, b, e); });
      EXPECT_EQ(out, pieces);
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, PoolingKernels, testing::ValuesIn(dims));

class BagScale : public PoolingKernels {};
TEST_P(BagScale, CountsAndWeights) {
  auto scale = runner->get<SparsecBody>("bag_scale");
  for (bool weighted : {false, true})
    for (bool counted : {false, true}) {
      Bags ids(50, 0, 9, weighted, random);
      for (int64_t &count : ids.counts)
        count += 2;
      ids.view.counts = counted ? ids.counts.data() : nullptr;
      if (weighted) // cancels out
        for (int64_t k = ids.offsets[7]; k < ids.offsets[8]; ++k)
          ids.weights[k] = 0;
      std::vector<float> out(50, NAN);
      struct {
        const SparsecJagged *bags;
        float *out;
      } argument{&ids.view, out.data()};
      scale(&argument, 0, 50);
      for (int64_t bag = 0; bag < 50; ++bag) {
        double sum = 0;
        int64_t length = ids.offsets[bag + 1] - ids.offsets[bag];
        for (int64_t k = ids.offsets[bag]; k < ids.offsets[bag + 1]; ++k)
          sum += ids.weight(k);
        double expected =
            weighted ? (sum == 0 ? 0 : 1 / sum) : 1.0 / std::max<int64_t>(counted ? length + 2 : length, 1);
        ASSERT_NEAR(out[bag], expected, 1e-4 * std::max(1.0, std::abs(expected)));
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Once, BagScale, testing::Values(int64_t(1)));
