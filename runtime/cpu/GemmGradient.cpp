#include "cpu/GemmGradient.h"
#include <algorithm>

using namespace sparsec;

namespace {
constexpr int64_t columnsAtOnce = 128; // sums that stay in the cache
constexpr int64_t leastRange = 16384;  // floats that are worth a thread
} // namespace

void gemm::sumLeft(ThreadPool &pool, const Shape &p, const float *a, float *sums) {
  int64_t alongM = p.transposeA ? 1 : p.k, alongK = p.transposeA ? p.m : 1;
  pool.parallel(p.m, std::max<int64_t>(1, leastRange / std::max<int64_t>(1, p.k)), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += columnsAtOnce) {
      int64_t count = std::min(columnsAtOnce, end - first);
      double sum[columnsAtOnce] = {};
      for (int64_t l = 0; l < p.k; ++l)
        for (int64_t i = 0; i < count; ++i)
          sum[i] += a[l * alongK + (first + i) * alongM];
      std::transform(sum, sum + count, sums + first, [](double x) { return float(x); });
    }
  });
}

void gemm::reluGradient(ThreadPool &pool, const float *y, float *c, int64_t n) {
  pool.parallel(n, leastRange, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      c[i] = y[i] > 0 ? c[i] : 0;
  });
}
