// Passes over the kernels of a device.
#pragma once
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace sparsec::codegen::device {

/// Fills in the records of all kernels (`kernel.*`) from the gpu.funcs. Where all kernels have a form that the emulator
/// runs, the module of kernels goes: nothing else needs it. Runs after rec-emulate-kernels, if that runs at all.
std::unique_ptr<mlir::Pass> createKernelRecordsPass();

/// Kernels leave the module as constants that hold their code for these architectures (90: sm_90).
std::unique_ptr<mlir::Pass> createEmbedImagesPass(llvm::ArrayRef<int> architectures);

void registerKernelPasses();

} // namespace sparsec::codegen::device
