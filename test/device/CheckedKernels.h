// The kernels of the check, compiled beforehand by KernelsMain.cpp.
#pragma once
#include "test/unit/gpu/TestedKernels.h"
#include <span>

namespace sparsec::codegen::device {

struct CheckedKernel {
  KernelSuite suite;
  const char *name; // as tests know it
  const SparsecKernel *kernel;
};
std::span<const CheckedKernel> checkedKernels();

} // namespace sparsec::codegen::device
