// Fewer launches: ops that share a kernel, and kernels that share a launch.
#pragma once
#include "codegen/GPU/DenseShapes.h"

namespace sparsec::codegen {

/// Joins an op to the kernel before that makes what it reads, point by point: element-wise ops to element-wise ones,
/// a sum to what it sums, element-wise ops over sums to the sum. Moves what such an op needs before that kernel.
void fuseWorks(mlir::Block &, const DenseMemory &, mlir::SmallVectorImpl<DenseWork> &);

/// Launches of one code, in the order in which they run, that may be one launch: the earlier ones wait for the last.
mlir::SmallVector<mlir::SmallVector<DenseLaunch *>> mergeLaunches(const DenseMemory &, DenseKernels &,
                                                                  const DenseLaunches &);

} // namespace sparsec::codegen
