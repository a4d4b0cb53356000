// What a target adds to the codegen pipeline: its kernels, how structured ops become its code, and what its executables
// link. Everything else of the pipeline (Pipeline.cpp) is the same for all. No pass asks for a target's name.
#pragma once
#include "codegen/Common/Embedding/KernelSet.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
}

namespace sparsec::codegen {

/// What an executable links beside its object, its main and sparsec_runtime.
struct RuntimeParts {
  std::string backend;               // function that opens the device (SparsecBackend in abi.h); empty: the host
  std::string open;                  // function that opens it alone (runtime/device/OpenDevice.h)
  std::vector<std::string> archives; // of the folder of the runtime's
  std::vector<std::string> flags;    // for the linker
};

class Target {
public:
  virtual ~Target() = default;
  /// As `--target` and the program description say it.
  virtual llvm::StringRef name() const = 0;
  virtual std::unique_ptr<KernelSet> makeKernels(mlir::ModuleOp) const = 0;
  /// Passes on dense ops of `rec` in entry points that have a context, before they are lowered.
  virtual void buildDense(mlir::OpPassManager &) const {}
  /// Passes that take structured ops on buffers to loops, kernels and launches, and buffers to their places
  /// (rec-memory-plan).
  virtual void buildBuffers(mlir::OpPassManager &) const = 0;
  /// Passes behind them, before all that is left becomes LLVM dialect: kernels of a device to functions of the host, or
  /// to constants that hold their code (`imagesGlobal`).
  virtual void buildKernels(mlir::OpPassManager &) const {}
  virtual RuntimeParts runtimeParts() const { return {}; }
  /// What it makes code for, as files of schedules name what they were measured on; none: the host.
  virtual std::vector<std::string> architectures() const { return {}; }
  /// Whether nothing but GPUs runs its code.
  virtual bool needsGPUs() const { return false; }
  /// Whether that code runs on GPUs of this architecture, as cluster files name it.
  virtual bool runsOn(llvm::StringRef) const { return true; }
  /// How products of matrices of floats are computed (Program::matmul).
  virtual llvm::StringRef matmul() const { return "fp32"; }
};

/// Attribute of a module: the description of the program, as text.
inline constexpr llvm::StringLiteral programAttr = "sparsec.program";
/// Attribute of a module: RuntimeParts::backend, where it is not empty.
inline constexpr llvm::StringLiteral backendAttr = "sparsec.backend";

// Names of constants in LLVM dialect that the program image (codegen/Emit) points to; there are none for the host.

/// Array of SparsecImage.
inline constexpr llvm::StringLiteral imagesGlobal = "device_images";
/// Array of pointers to SparsecKernel, by SPARSEC_KERNEL_* of device.h; in a tuner, all that it measures.
inline constexpr llvm::StringLiteral kernelsGlobal = "device_kernels";

} // namespace sparsec::codegen
