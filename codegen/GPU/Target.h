// Code generation for devices: what their targets share. The emulated device (codegen/Emulate) runs the same kernels
// and the same host program as CUDA does.
#pragma once
#include "codegen/Common/Target.h"

namespace sparsec::codegen {

std::unique_ptr<KernelSet> makeDeviceKernels(mlir::ModuleOp);

class DeviceTarget : public Target {
public:
  std::unique_ptr<KernelSet> makeKernels(mlir::ModuleOp module) const override { return makeDeviceKernels(module); }
  void buildDense(mlir::OpPassManager &) const override;
  void buildBuffers(mlir::OpPassManager &) const override;
};

} // namespace sparsec::codegen
