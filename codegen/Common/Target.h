// What a target adds to the codegen pipeline: its kernels, how structured ops become its code, and what its passes
// need. Everything else of the pipeline (Pipeline.cpp) is the same for all. No pass asks for a target's name.
#pragma once
#include "codegen/Common/Embedding/KernelSet.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include <vector>

namespace mlir {
class OpPassManager;
}

namespace sparsec::codegen {

/// Code for a device, for one architecture; see SparsecImage in abi.h.
struct DeviceImage {
  int32_t architecture; // 90: sm_90
  bool ptx;             // to be compiled by the driver
  std::string bytes;
};

class Target {
public:
  virtual ~Target() = default;
  /// As `--target` and the program description say it.
  virtual llvm::StringRef name() const = 0;
  virtual std::unique_ptr<KernelSet> makeKernels(mlir::ModuleOp) const = 0;
  /// Passes that take structured ops on planned buffers to loops, kernels and launches.
  virtual void buildLoops(mlir::OpPassManager &) const = 0;
  /// Passes behind them that take kernels to code of the host, before all of it becomes LLVM dialect; or that leave
  /// them in the module for `makeImages`.
  virtual void buildKernels(mlir::OpPassManager &) const {}
  /// The device's code, of a module in which the host's is LLVM dialect; takes the kernels out of the module.
  virtual mlir::FailureOr<std::vector<DeviceImage>> makeImages(mlir::ModuleOp) const {
    return std::vector<DeviceImage>();
  }
  /// The function of the runtime that opens the device (SparsecBackend in abi.h), and the archives that have it, in the
  /// order in which they are linked; empty: the host.
  virtual llvm::StringRef backend() const { return {}; }
  virtual std::vector<llvm::StringRef> archives() const { return {}; }
};

} // namespace sparsec::codegen
