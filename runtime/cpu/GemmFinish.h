// What follows the sums of a product: bias, activation, and the way into c.
#pragma once
#include <cstdint>

namespace sparsec::gemm {

struct Finish {
  const float *bias; // null: none
  bool relu;         // a NaN stays one

  /// to[0, n) = activation((add ? to : 0) + sums + bias); `sums` may be `to`.
  void row(const float *sums, bool add, float *to, int64_t n) const;
};

} // namespace sparsec::gemm
