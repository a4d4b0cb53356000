// Passes of a device program.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace sparsec::codegen {

/// Dense ops on buffers in step entries become kernels and launches.
std::unique_ptr<mlir::Pass> createDenseKernelsPass();
/// Products in the gradients of layers become calls that do what follows them, too.
std::unique_ptr<mlir::Pass> createGemmGradientsPass();
void registerDensePasses();

/// Device memory of a step: stands where a host target plans memory and makes loops. Needs buffers (one-shot
/// bufferization); afterwards every allocation has its place, and only kernels touch the device's memory.
void buildDeviceMemory(mlir::OpPassManager &);

} // namespace sparsec::codegen
