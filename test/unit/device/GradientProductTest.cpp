// Products with what follows them in gradients, against double; the product is that of no flag, bit by bit.
#include "emulate/GradientProduct.h"
#include "sparsec/ThreadPool.h"
#include "sparsec/abi.h"
#include "test/support/RandomFloats.h"
#include <cmath>
#include <gtest/gtest.h>

namespace sparsec::test {
namespace {

struct Shape {
  int32_t flags;
  int64_t m, n, k;
};

void check(Gemm &gemm, Shape s) {
  std::mt19937 random(1);
  std::vector<float> a = randomFloats(s.m * s.k, random), b = randomFloats(s.k * s.n, random),
                     y = randomFloats(s.m * s.n, random);
  auto run = [&](int32_t follows, float *with, std::vector<float> &c) {
    c.resize(s.m * s.n);
    return emulate::gradientProduct(gemm, s.flags | follows, s.m, s.n, s.k, a.data(), b.data(), with, c.data());
  };
  std::vector<float> plain, beside, masked, sums(s.m + 1, 7.f);
  ASSERT_TRUE(run(0, nullptr, plain).ok());
  ASSERT_TRUE(run(SPARSEC_GEMM_SUMS, sums.data(), beside).ok());
  EXPECT_EQ(beside, plain);
  EXPECT_EQ(sums.back(), 7.f);
  for (int64_t i = 0; i < s.m; ++i) {
    double sum = 0;
    for (int64_t l = 0; l < s.k; ++l)
      sum += a[s.flags & SPARSEC_GEMM_TRANSPOSE_A ? l * s.m + i : i * s.k + l];
    ASSERT_EQ(sums[i], float(sum)) << i;
  }
  y[0] = 0;
  if (y.size() > 1)
    y[1] = std::nanf("");
  ASSERT_TRUE(run(SPARSEC_GEMM_RELU_GRADIENT, y.data(), masked).ok());
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_EQ(masked[i], y[i] > 0 ? plain[i] : 0) << i;
}

TEST(GradientProduct, SumsAndMasks) {
  ThreadPool pool(1);
  Gemm gemm(pool);
  for (Shape shape : {Shape{SPARSEC_GEMM_TRANSPOSE_A, 256, 40, 2000}, Shape{SPARSEC_GEMM_TRANSPOSE_A, 1, 7, 3000},
                      Shape{0, 300, 65, 130}, Shape{SPARSEC_GEMM_TRANSPOSE_B, 1, 1, 1},
                      Shape{SPARSEC_GEMM_TRANSPOSE_A, 129, 5, 0}, Shape{SPARSEC_GEMM_TRANSPOSE_A, 20000, 1, 3}})
    check(gemm, shape);
}

TEST(GradientProduct, OneThingFollows) {
  ThreadPool pool(1);
  Gemm gemm(pool);
  EXPECT_EQ(
      emulate::gradientProduct(gemm, SPARSEC_GEMM_RELU | SPARSEC_GEMM_SUMS, 1, 1, 1, nullptr, nullptr, nullptr, nullptr)
          .message(),
      "matrix product with flags 12: expected one of relu, its gradient and sums");
}

} // namespace
} // namespace sparsec::test
