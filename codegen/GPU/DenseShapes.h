// Kernels of dense ops by the shape of their work. Each function makes launches, whose code is written later.
#pragma once
#include "codegen/GPU/DensePoint.h"

namespace sparsec::codegen {

/// Ops that are one kernel: element-wise ones over one domain, in order, then at most one that sums over it, then
/// element-wise ones over the sums.
struct DenseWork {
  mlir::SmallVector<mlir::linalg::GenericOp> points;
  mlir::linalg::GenericOp sum; // or null
  bool startsAtZero = false;   // the sums need not be read first
  mlir::SmallVector<mlir::linalg::GenericOp> tail;
  mlir::Operation *anchor;
};

using DenseLaunches = mlir::SmallVector<std::unique_ptr<DenseLaunch>>;

/// Element by element: flat where all ops allow it, else by rows.
mlir::LogicalResult launchElementwise(const DenseMemory &, DenseWork, DenseLaunches &);
/// Sums, in f64 or as the op says: a fixed tree that depends on the extents alone.
mlir::LogicalResult launchSum(const DenseMemory &, DenseWork, DenseLaunches &);
/// One thread: numbers loaded from the device, worked on and stored there by `store`.
mlir::LogicalResult launchScalars(const DenseMemory &, mlir::memref::StoreOp store, DenseLaunches &);

/// Threads side by side on a row of `columns` pieces: a power of two, at most a block.
int64_t threadsOfRow(int64_t columns);

} // namespace sparsec::codegen
