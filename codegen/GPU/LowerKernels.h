// Kernels to LLVM dialect.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace sparsec::codegen::device {

/// All ops of the module's kernels to LLVM and NVVM dialect; the module holds nothing else. Fails with a message on
/// math that has no exact form on the device.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module);

} // namespace sparsec::codegen::device
