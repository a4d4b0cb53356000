// Code generation for devices: what their targets share. The emulated device (codegen/Emulate) runs the same kernels
// and the same host program as CUDA does.
#pragma once
#include "codegen/Common/Target.h"
#include "codegen/GPU/kernels/Schedule.h"

namespace sparsec::codegen {

/// What was measured of the lookups of a class: the best schedule.
struct TunedLookup {
  LookupClass of;
  device::Schedule schedule;
};

/// Lookups of classes among `tuned` get what stands there, others what the cost model says.
std::unique_ptr<KernelSet> makeDeviceKernels(mlir::ModuleOp, llvm::ArrayRef<TunedLookup> tuned);

class DeviceTarget : public Target {
public:
  explicit DeviceTarget(llvm::ArrayRef<TunedLookup> tuned = {}) : tuned(tuned) {}
  std::unique_ptr<KernelSet> makeKernels(mlir::ModuleOp module) const override {
    return makeDeviceKernels(module, tuned);
  }
  void buildDense(mlir::OpPassManager &) const override;
  void buildBuffers(mlir::OpPassManager &) const override;

private:
  std::vector<TunedLookup> tuned;
};

} // namespace sparsec::codegen
