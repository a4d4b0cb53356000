// One optimizer step of one row: shared by the kernels that step touched rows and those that step all.
#pragma once
#include "codegen/CPU/kernels/Segments.h"

namespace sparsec::codegen {

class RowStep {
public:
  RowStep(KernelBuilder &b, int64_t dim, OptimizerAttrInterface optimizer);

  Segments of;

  void prefetch(mlir::Value row);
  /// Row `row` of the part, with the gradient of occurrences [from, to); none: 0. `last` bounds prefetching.
  void update(mlir::Value row, mlir::Value from, mlir::Value to, mlir::Value last);

private:
  mlir::Value columnsOf(size_t field, mlir::Value row, mlir::Value column);
  llvm::SmallVector<mlir::Value> gradient(const Columns &, mlir::Value column, mlir::Value from, mlir::Value to,
                                          mlir::Value last);
  mlir::Value addSquares(mlir::ValueRange gradient, mlir::Value before);
  void updateColumns(const Columns &, mlir::Value row, mlir::Value column, mlir::ValueRange gradient, mlir::Value norm,
                     llvm::ArrayRef<mlir::Value> rowStates);

  KernelBuilder &b;
  int64_t dim;
  OptimizerAttrInterface optimizer;
  llvm::SmallVector<OptimizerState> states;
  llvm::SmallVector<mlir::Value> fields; // weight, then states
  mlir::Value learningRate;
};

} // namespace sparsec::codegen
