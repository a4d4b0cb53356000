#include "codegen/GPU/CudaTarget.h"
#include "codegen/GPU/Passes.h"
#include "codegen/GPU/Target.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
class CudaTarget : public DeviceTarget {
public:
  CudaTarget(ArrayRef<int> architectures, StringRef matmul) : architectures(architectures), precision(matmul) {}
  StringRef name() const override { return "cuda"; }
  StringRef matmul() const override { return precision; }
  void buildKernels(OpPassManager &pm) const override {
    pm.addPass(device::createKernelRecordsPass());
    pm.addPass(device::createEmbedImagesPass(architectures));
  }
  RuntimeParts runtimeParts() const override {
    return {"sparsec_backend_cuda", {"libsparsec_device.a", "libsparsec_cuda.a"}, {}};
  }

private:
  SmallVector<int> architectures;
  std::string precision;
};
} // namespace

std::unique_ptr<Target> codegen::makeCudaTarget(ArrayRef<int> architectures, StringRef matmul) {
  return std::make_unique<CudaTarget>(architectures, matmul);
}
