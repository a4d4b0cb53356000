// One matrix product: its shape and its operands.
#pragma once
#include "cpu/GemmFinish.h"
#include "sparsec/Status.h"
#include <compare>
#include <cstdint>
#include <fmt/format.h>

namespace sparsec::gemm {

struct Shape {
  bool transposeA, transposeB;
  int64_t m, n, k;
  auto operator<=>(const Shape &) const = default;

  int64_t lda() const { return transposeA ? m : k; }
  int64_t ldb() const { return transposeB ? k : n; }
};

struct Problem : Shape {
  bool relu;
  const float *a, *b, *bias; // bias may be null
  float *c;

  const float *atA(int64_t row, int64_t l) const { return a + (transposeA ? l * m + row : row * k + l); }
  const float *atB(int64_t l, int64_t col) const { return b + (transposeB ? col * k + l : l * n + col); }

  /// Columns [col0, col1) of row i: `sums`, or what c holds plus them; the last
  /// sums also bring bias and activation.
  void finishRow(int64_t i, int64_t col0, int64_t col1, const float *sums, bool add, bool last) const {
    Finish finish{last && bias ? bias + col0 : nullptr, last && relu};
    finish.row(sums, add, c + i * n + col0, col1 - col0);
  }
  /// Bias and activation of what is in c.
  void finish(int64_t row0, int64_t row1, int64_t col0, int64_t col1) const {
    for (int64_t i = row0; i < row1 && (bias || relu); ++i)
      finishRow(i, col0, col1, c + i * n + col0, false, true);
  }

  /// Of a product whose calls of oneDNN ended with this status; 0: success.
  Status outcome(int onednn) const {
    if (onednn == 0)
      return {};
    return Status::error(fmt::format("matrix product {} x {} x {} failed in oneDNN with status {}", m, n, k, onednn));
  }
};

} // namespace sparsec::gemm
