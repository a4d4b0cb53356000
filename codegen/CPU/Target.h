// Code generation for the processor that the runtime runs on.
#pragma once
#include "codegen/Common/Target.h"

namespace sparsec::codegen {

std::unique_ptr<KernelSet> makeCPUKernels(mlir::ModuleOp);
/// `parallel`: loops over samples and elements are shared by the runtime's threads.
std::unique_ptr<Target> makeCPUTarget(bool parallel = true);

/// rec-lower-embedding with this processor's kernels.
void registerCodegenCPUPasses();

} // namespace sparsec::codegen
