// Segments of row gradients: what the kernels that sum them have in common.
#pragma once
#include "codegen/CPU/kernels/KernelBuilder.h"

namespace sparsec::codegen {

/// The fields of SparsecSegments and the sum of one segment.
class Segments {
public:
  Segments(KernelBuilder &b, int64_t dim);

  mlir::Value segments, rows, start, gradient, weight, out, field, lr, scale, step;

  /// Sum over occurrences [from, to), in order, of weight * gradient; columns from `column` on. The gradients of later
  /// occurrences up to `last` are prefetched.
  llvm::SmallVector<mlir::Value> sum(const Columns &columns, mlir::Value column, mlir::Value from, mlir::Value to,
                                     mlir::Value last);

private:
  KernelBuilder &b;
  int64_t dim;
};

} // namespace sparsec::codegen
