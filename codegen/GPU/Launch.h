// Host code that runs a kernel: sparsec_launch of abi.h.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sparsec::codegen::device {

/// Launches the kernel of `record` on `blocks` (index or i64) blocks; `words`: addresses, index, i64 or f32. Leaves the
/// entry point where that fails. Returns the call.
mlir::LLVM::CallOp launch(mlir::ImplicitLocOpBuilder &, mlir::LLVM::GlobalOp record, mlir::Value blocks,
                          mlir::ValueRange words);
/// Where the device's memory has an i64 or f32 of this step.
mlir::Value wordOnDevice(mlir::ImplicitLocOpBuilder &, mlir::Value word);
/// n / by, rounded up; i64.
mlir::Value ceilDiv(mlir::ImplicitLocOpBuilder &, mlir::Value n, int64_t by);

/// The constant that the program image names these kernels by, in this order.
void listKernels(mlir::ModuleOp, llvm::ArrayRef<mlir::LLVM::GlobalOp> records);

} // namespace sparsec::codegen::device
