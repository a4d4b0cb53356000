// One kernel becoming a host function.
#pragma once
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace sparsec::codegen::device {

/// Places in the source as constants of the module, one for each.
class Sites {
public:
  explicit Sites(mlir::ModuleOp module) : module(module) {}
  /// The symbol of a SparsecSite.
  llvm::StringRef of(mlir::Location place);

private:
  llvm::StringRef text(mlir::StringAttr file);
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, mlir::StringAttr> sites, files;
};

class EmulatedKernel {
public:
  EmulatedKernel(mlir::ModuleOp module, Sites &sites, mlir::gpu::GPUFuncOp kernel);
  /// Fails with a message where the kernel holds something that the emulator does not know.
  mlir::LogicalResult build();

private:
  mlir::Type pointer() { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  mlir::Value threadField(int32_t field);
  void readArguments(mlir::IRMapping &arguments);
  mlir::LogicalResult lower(mlir::Operation *);
  void checkAccess(mlir::Operation *, mlir::Value address, mlir::Type type, std::optional<uint64_t> alignment,
                   int32_t access);
  mlir::Value call(llvm::StringRef function, mlir::Type result, mlir::ValueRange arguments, mlir::Location site);
  mlir::LogicalResult lowerShuffle(mlir::gpu::ShuffleOp);
  mlir::LogicalResult lowerIndex(mlir::Operation *, mlir::gpu::Dimension, int32_t field);

  mlir::ModuleOp module;
  Sites &sites;
  mlir::gpu::GPUFuncOp kernel;
  mlir::ImplicitLocOpBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Value thread;
};

} // namespace sparsec::codegen::device
