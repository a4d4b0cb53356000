// Matrix products on the CPU: oneDNN for the blocks, our threads around them.
#pragma once
#include "sparsec/Status.h"
#include "sparsec/ThreadPool.h"
#include <cstdint>
#include <memory>

namespace sparsec {

/// Keeps prepared oneDNN kernels by shape; any number of threads may call one instance.
class Gemm {
public:
  explicit Gemm(ThreadPool &pool);
  ~Gemm();
  Gemm(const Gemm &) = delete;
  Gemm &operator=(const Gemm &) = delete;

  /// c[m, n] = activation(op(a)[m, k] op(b)[k, n] + bias[n]), row-major and dense; flags are abi.h's SPARSEC_GEMM_*,
  /// `bias` may be null. k = 0: c = activation(bias). c must not overlap the others. The order in which products are
  /// added depends on the shape alone: the same bits at any thread count on one kind of CPU.
  Status run(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, const float *bias,
             float *c);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sparsec
