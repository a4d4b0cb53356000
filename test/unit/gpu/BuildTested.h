// The kernels of TestedKernels.h as IR.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "test/unit/gpu/TestedKernels.h"
#include <map>

namespace sparsec::codegen::device {

/// Builds the kernels of a suite. Result: the kernels' names by those that tests know.
std::map<std::string, std::string> buildTested(KernelSuite, mlir::MLIRContext &, GpuKernels &);

} // namespace sparsec::codegen::device
