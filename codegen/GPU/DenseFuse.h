// Fewer launches: ops that share a kernel, and kernels that share a launch.
#pragma once
#include "codegen/GPU/DenseShapes.h"
#include "llvm/ADT/SetVector.h"

namespace sparsec::codegen {

/// Joins an op to the kernel before that makes what it reads, point by point: element-wise ops to element-wise ones,
/// a sum to what it sums, element-wise ops over sums to the sum. Moves what such an op needs before that kernel.
void fuseWorks(mlir::Block &, const DenseMemory &, mlir::SmallVectorImpl<DenseWork> &);

/// Launches of one code that are one launch.
using DenseGroup = mlir::SmallVector<DenseLaunch *>;

/// All launches in groups, in an order in which they may run, each at its last member's anchor.
mlir::SmallVector<DenseGroup> mergeLaunches(const DenseMemory &, DenseKernels &, const DenseLaunches &);

/// Adds what `value` is made of behind `place`, operands first, to `ops`; false: some of it has to stay where it is.
bool collectDefinitions(mlir::Value value, mlir::Operation *place, llvm::SetVector<mlir::Operation *> &ops);

} // namespace sparsec::codegen
