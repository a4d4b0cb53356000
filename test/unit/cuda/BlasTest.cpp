// Products as runtime/cuda asks cuBLASLt for them, against their definition in abi.h. The library is StandInBlas.cpp,
// so memory of the device is the host's.
#include "cuda/Blas.h"
#include "sparsec/abi.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace sparsec::cuda {
namespace {

int masks = 0; // applied behind a product

Runtime hostRuntime() {
  Runtime cuda;
  cuda.malloc = [](void **memory, size_t bytes) {
    *memory = std::malloc(bytes);
    return int(success);
  };
  cuda.free = [](void *memory) {
    std::free(memory);
    return int(success);
  };
  cuda.memcpyAsync = [](void *to, const void *from, size_t bytes, int, Stream) {
    std::memcpy(to, from, bytes);
    return int(success);
  };
  return cuda;
}

/// What ReluMask.cu does.
Cub hostMasks() {
  Cub made;
  made.reluBits = [](const float *y, int64_t rows, int64_t columns, int64_t bitsOfRow, uint32_t *bits, void *) {
    std::memset(bits, 0, size_t(rows * bitsOfRow / 8));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        bits[(i * bitsOfRow + j) / 32] |= uint32_t(y[i * columns + j] > 0) << j % 32;
    return int(success);
  };
  made.reluGradient = [](const float *y, float *c, int64_t n, void *) {
    ++masks;
    for (int64_t i = 0; i < n; ++i)
      c[i] = y[i] > 0 ? c[i] : 0;
    return int(success);
  };
  return made;
}

std::vector<float> randomFloats(int64_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(n);
  for (float &value : values)
    value = float(int(generator() % 9) - 4); // 0 is among them, and sums are exact
  return values;
}

void check(Blas &blas, int32_t flags, int64_t m, int64_t n, int64_t k) {
  bool sums = flags & SPARSEC_GEMM_SUMS, gradient = flags & SPARSEC_GEMM_RELU_GRADIENT;
  auto a = randomFloats(m * k, 1), b = randomFloats(k * n, 2),
       with = randomFloats(sums       ? m
                           : gradient ? m * n
                                      : n,
                           3),
       given = with;
  std::vector<float> c(m * n, 7);
  Status status = blas.gemm(nullptr, flags, m, n, k, a.data(), b.data(), with.data(), c.data());
  ASSERT_TRUE(status.ok()) << status.message();
  for (int64_t i = 0; i < m; ++i) {
    auto left = [&](int64_t l) { return double(flags & SPARSEC_GEMM_TRANSPOSE_A ? a[l * m + i] : a[i * k + l]); };
    double whole = 0;
    for (int64_t l = 0; l < k; ++l)
      whole += left(l);
    if (sums)
      ASSERT_EQ(with[i], whole) << flags << ": " << m << " x " << n << " x " << k << " at " << i;
    for (int64_t j = 0; j < n; ++j) {
      double sum = sums || gradient ? 0 : given[j];
      for (int64_t l = 0; l < k; ++l)
        sum += left(l) * (flags & SPARSEC_GEMM_TRANSPOSE_B ? b[j * k + l] : b[l * n + j]);
      if ((flags & SPARSEC_GEMM_RELU && sum < 0) || (gradient && !(given[i * n + j] > 0)))
        sum = 0;
      ASSERT_EQ(c[i * n + j], sum) << flags << ": " << m << " x " << n << " x " << k << " at " << i << ", " << j;
    }
  }
}

TEST(CudaBlas, ProductsAndWhatFollows) {
  Runtime cuda = hostRuntime();
  Cub compiled = hostMasks();
  auto blas = Blas::open(cuda, compiled, Multiply::fp32);
  ASSERT_TRUE(blas) << blas.status().message();
  for (int32_t follows : {0, int(SPARSEC_GEMM_RELU), int(SPARSEC_GEMM_SUMS), int(SPARSEC_GEMM_RELU_GRADIENT)})
    for (int32_t transposed : {0, 1, 2, 3})
      for (int64_t m : {1, 2, 5, 40})
        for (int64_t n : {1, 2, 3, 5, 128, 130, 260})
          for (int64_t k : {1, 2, 37}) // larger shapes come later: memory grows
            check(**blas, follows | transposed, m, n, k);
  EXPECT_GT(masks, 0);
  masks = 0;
  check(**blas, SPARSEC_GEMM_RELU_GRADIENT, 40, 130, 37); // again, by its plan
  EXPECT_EQ(masks, 0);
}

} // namespace
} // namespace sparsec::cuda
