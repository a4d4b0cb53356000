#include "cpu/GemmFinish.h"

using namespace sparsec::gemm;

#ifdef __x86_64__ // these loops bound products of small k: 16 floats at a time
                  // where the machine can
#define VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTOR_CLONES
#endif

/// `start` is what bias is added to.
template <typename Start>
[[gnu::always_inline]] static inline void finish(Start start, const float *bias, bool relu, float *to, int64_t n) {
  auto positive = [](float x) { return x < 0 ? 0 : x; };
  if (bias && relu)
    for (int64_t j = 0; j < n; ++j)
      to[j] = positive(start(j) + bias[j]);
  else if (bias)
    for (int64_t j = 0; j < n; ++j)
      to[j] = start(j) + bias[j];
  else if (relu)
    for (int64_t j = 0; j < n; ++j)
      to[j] = positive(start(j));
  else
    for (int64_t j = 0; j < n; ++j)
      to[j] = start(j);
}

VECTOR_CLONES static void finishRow(const float *sums, bool add, const float *bias, bool relu, float *to, int64_t n) {
  if (add)
    finish(
        [&](int64_t j) __attribute__((always_inline)) { return to[j] + sums[j]; }, bias, relu, to, n);
  else if (sums == to) // said so, or the compiler takes them for overlapping
                       // and goes one by one
    finish(
        [&](int64_t j) __attribute__((always_inline)) { return to[j]; }, bias, relu, to, n);
  else
    finish(
        [&](int64_t j) __attribute__((always_inline)) { return sums[j]; }, bias, relu, to, n);
}

void Finish::row(const float *sums, bool add, float *to, int64_t n) const { finishRow(sums, add, bias, relu, to, n); }
