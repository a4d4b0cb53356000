// Kernels of a device in this process: built, made into host functions, run by the emulator.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/unit/gpu/TestDevice.h"
#include "test/unit/kernels/Jit.h"

namespace sparsec::codegen::device {

class GpuRunner {
public:
  GpuRunner();
  mlir::MLIRContext &context() { return mlirContext; }
  mlir::ModuleOp module() { return *owned; }
  /// Ask it for kernels, or build some in the module, then compile().
  GpuKernels &kernels() { return made; }
  void compile();
  /// A record, after compile().
  const SparsecKernel &kernel(const std::string &name);

private:
  mlir::MLIRContext mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  GpuKernels made;
  std::unique_ptr<Jit> jit;
};

} // namespace sparsec::codegen::device
