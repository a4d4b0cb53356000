// What follows a product in the gradient of a layer: sums over the samples, and relu's gradient.
#pragma once
#include "cpu/GemmProblem.h"
#include "sparsec/ThreadPool.h"

namespace sparsec::gemm {

/// sums[m] of op(a) over k: in double and in the order of k, the same bits at any thread count.
void sumLeft(ThreadPool &, const Shape &, const float *a, float *sums);
/// c is 0 where y > 0 is not so.
void reluGradient(ThreadPool &, const float *y, float *c, int64_t n);

} // namespace sparsec::gemm
