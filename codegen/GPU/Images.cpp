#include "codegen/GPU/Images.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

FailureOr<std::vector<Image>> device::deviceImages(gpu::GPUModuleOp kernels, ArrayRef<int> archs) {
  std::vector<Image> images;
  if (archs.empty())
    return images;
  std::string ptxas = findPtxas();
  if (ptxas.empty()) {
    int oldest = *llvm::min_element(archs);
    FailureOr<std::string> ptx = emitPtx(kernels, oldest);
    if (failed(ptx))
      return failure();
    emitRemark(kernels.getLoc(), "no `ptxas` was found in $SPARSEC_PTXAS, $CUDA_HOME/bin, PATH or "
                                 "/usr/local/cuda/bin: the executable holds PTX for sm_")
        << oldest << " alone, which the driver assembles when it starts";
    images.push_back({oldest, true, std::move(*ptx)});
    return images;
  }
  int newest = *llvm::max_element(archs);
  for (int arch : archs) {
    FailureOr<std::string> ptx = emitPtx(kernels, arch);
    if (failed(ptx))
      return failure();
    llvm::Expected<Assembly> assembly = assemblePtx(ptxas, *ptx, arch);
    if (!assembly)
      return emitError(kernels.getLoc(), llvm::toString(assembly.takeError())), failure();
    images.push_back({arch, false, std::move(assembly->cubin)});
    if (arch == newest)
      images.push_back({arch, true, std::move(*ptx)});
  }
  return images;
}
