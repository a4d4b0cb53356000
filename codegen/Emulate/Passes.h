// Kernels of a device as host functions.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace sparsec::codegen::device {

/// Beside each gpu.func a host function that the emulator runs: one thread of the kernel, which asks before every
/// access. Runs before rec-kernel-records, which takes their addresses. The ordinary lowering of the host finishes
/// them.
std::unique_ptr<mlir::Pass> createEmulateKernelsPass();

void registerEmulatePasses();

} // namespace sparsec::codegen::device
