// Kernels as code for devices: PTX in this process, machine code where NVIDIA's assembler is there.
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sparsec::codegen::device {

/// The dialects and translations that the functions below need beyond those of the kernels.
void registerDeviceTranslations(mlir::DialectRegistry &);

/// Architectures that kernels are made for: 80 is sm_80.
llvm::ArrayRef<int> knownArchitectures();

/// PTX of all kernels, for one architecture. The module stays as it is.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp kernels, int arch);

/// What the assembler says of one kernel.
struct KernelUsage {
  std::string kernel;
  int registers = 0;
  int64_t shared = 0, stack = 0; // bytes; of a block, of a thread
  int64_t spillStores = 0, spillLoads = 0;
};
struct Assembly {
  std::string cubin;
  std::vector<KernelUsage> usage;
};
/// NVIDIA's `ptxas`: of $SPARSEC_PTXAS, $CUDA_HOME/bin, the PATH or /usr/local/cuda/bin. Empty: it is nowhere.
std::string findPtxas();
/// Runs it. The error has its own words.
llvm::Expected<Assembly> assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, int arch);

/// Code of all kernels for one architecture.
struct Image {
  int arch;
  bool isPtx; // text for any device from `arch` on, else machine code for exactly this one
  std::string bytes;
};
/// Machine code for each architecture and PTX for the newest, so that later devices can run it; PTX for the oldest
/// alone, with a remark, where there is no assembler.
mlir::FailureOr<std::vector<Image>> deviceImages(mlir::gpu::GPUModuleOp kernels, llvm::ArrayRef<int> archs);

} // namespace sparsec::codegen::device
