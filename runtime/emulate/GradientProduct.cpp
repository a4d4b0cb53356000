#include "emulate/GradientProduct.h"
#include "sparsec/abi.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace sparsec::emulate {

/// sums[m] of op(a) over k; some columns at once, whose sums stay in the cache.
static void sumLeft(bool transpose, int64_t m, int64_t k, const float *a, float *sums) {
  constexpr int64_t columnsAtOnce = 128;
  int64_t alongM = transpose ? 1 : k, alongK = transpose ? m : 1;
  for (int64_t first = 0; first < m; first += columnsAtOnce) {
    int64_t count = std::min(columnsAtOnce, m - first);
    double sum[columnsAtOnce] = {};
    for (int64_t l = 0; l < k; ++l)
      for (int64_t i = 0; i < count; ++i)
        sum[i] += a[l * alongK + (first + i) * alongM];
    std::transform(sum, sum + count, sums + first, [](double x) { return float(x); });
  }
}

Status gradientProduct(Gemm &products, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                       float *with, float *c) {
  constexpr int32_t follows = SPARSEC_GEMM_RELU | SPARSEC_GEMM_SUMS | SPARSEC_GEMM_RELU_GRADIENT;
  if (std::popcount(uint32_t(flags & follows)) > 1)
    return Status::error(
        fmt::format("matrix product with flags {}: expected one of relu, its gradient and sums", flags));
  bool sums = flags & SPARSEC_GEMM_SUMS, masked = flags & SPARSEC_GEMM_RELU_GRADIENT;
  Status status = products.run(flags & ~(SPARSEC_GEMM_SUMS | SPARSEC_GEMM_RELU_GRADIENT), m, n, k, a, b,
                               sums || masked ? nullptr : with, c);
  if (sums && status.ok())
    sumLeft(flags & SPARSEC_GEMM_TRANSPOSE_A, m, k, a, with);
  if (masked && status.ok())
    for (int64_t i = 0; i < m * n; ++i)
      c[i] = with[i] > 0 ? c[i] : 0;
  return status;
}

} // namespace sparsec::emulate
