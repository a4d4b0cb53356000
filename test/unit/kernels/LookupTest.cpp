// Lookup and combine kernels against sums in double precision.
#include "test/unit/kernels/KernelRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec::codegen;

static const int64_t dims[] = {1, 2, 3, 4, 5, 8, 16, 31, 63, 64, 100, 128, 129, 256, 1023};

class LookupKernels : public testing::TestWithParam<int64_t> {
protected:
  static void SetUpTestSuite() {
    runner = new KernelRunner;
    for (int64_t dim : dims) {
      runner->kernels().lookup(dim, false);
      runner->kernels().lookup(dim, true);
      runner->kernels().combine(dim);
    }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }

  void lookup(bool weightedKernel, bool weights);
  static KernelRunner *runner;
  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
};
KernelRunner *LookupKernels::runner = nullptr;

void LookupKernels::lookup(bool weightedKernel, bool weights) {
  constexpr int64_t bags = 61, rows = 37, row0 = int64_t(1) << 35;
  Bags ids(bags, row0, rows, weights, random);
  std::vector<float> table = randomFloats(rows * dim, random), out(bags * dim, NAN), pieces(bags * dim, NAN);
  auto kernel =
      runner->get<SparsecLookupKernel>("lookup_sum_d" + std::to_string(dim) + (weightedKernel ? "_weighted" : ""));
  SparsecLookup argument{ids.offsets.data(), ids.values.data(), ids.view.weights, table.data(), row0, out.data()};
  kernel(&argument, 0, bags);
  for (int64_t bag = 0; bag < bags; ++bag)
    for (int64_t c = 0; c < dim; ++c) {
      double sum = 0;
      for (int64_t k = ids.offsets[bag]; k < ids.offsets[bag + 1]; ++k)
        sum += double(ids.weight(k)) * table[(ids.values[k] - row0) * dim + c];
      ASSERT_NEAR(out[bag * dim + c], sum, 1e-5) << "bag " << bag << ", column " << c;
    }
  argument.out = pieces.data();
  inPieces(bags, random, [&](int64_t begin, int64_t end) { kernel(&argument, begin, end); });
  EXPECT_EQ(out, pieces);
}

TEST_P(LookupKernels, Sum) { lookup(false, false); }
TEST_P(LookupKernels, WeightedSum) { lookup(true, true); }
TEST_P(LookupKernels, NullWeightsAreAllOne) { lookup(true, false); }

TEST_P(LookupKernels, NoIdsAtAll) {
  std::vector<int64_t> offsets(4, 0);
  std::vector<float> out(3 * dim, NAN), zeros(3 * dim, 0.0f);
  SparsecLookup argument{offsets.data(), nullptr, nullptr, nullptr, 0, out.data()};
  runner->get<SparsecLookupKernel>("lookup_sum_d" + std::to_string(dim))(&argument, 0, 3);
  EXPECT_EQ(out, zeros);
}

TEST_P(LookupKernels, Combine) {
  constexpr int64_t bags = 13;
  auto kernel = runner->get<SparsecCombineKernel>("combine_d" + std::to_string(dim));
  int64_t stride = dim + 3;
  for (int64_t sources : {1, 2, 5}) {
    std::vector<std::vector<float>> rows;
    std::vector<const float *> source;
    for (int64_t s = 0; s < sources; ++s)
      rows.push_back(randomFloats(bags * dim, random));
    for (auto &row : rows)
      source.push_back(row.data());
    std::vector<float> out(bags * stride, -7), pieces(bags * stride, -7);
    SparsecCombine argument{source.data(), sources, stride, out.data()};
    kernel(&argument, 0, bags);
    for (int64_t bag = 0; bag < bags; ++bag)
      for (int64_t c = 0; c < stride; ++c) {
        float sum = c < dim ? rows[0][bag * dim + c] : -7; // columns of others stay
        for (int64_t s = 1; s < sources && c < dim; ++s)
          sum += rows[s][bag * dim + c];
        ASSERT_EQ(out[bag * stride + c], sum) << sources << " sources, bag " << bag << ", column " << c;
      }
    argument.out = pieces.data();
    inPieces(bags, random, [&](int64_t begin, int64_t end) { kernel(&argument, begin, end); });
    EXPECT_EQ(out, pieces);
  }
}

INSTANTIATE_TEST_SUITE_P(Dims, LookupKernels, testing::ValuesIn(dims));
