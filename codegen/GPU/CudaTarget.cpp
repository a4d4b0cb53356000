#include "codegen/GPU/CudaTarget.h"
#include "codegen/GPU/Passes.h"
#include "codegen/GPU/Target.h"
#include "mlir/Pass/PassManager.h"
#include "sparsec/abi.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
class CudaTarget : public DeviceTarget {
public:
  CudaTarget(ArrayRef<int> architectures, StringRef matmul, ArrayRef<TunedLookup> tuned)
      : DeviceTarget(tuned), numbers(architectures), precision(matmul) {}
  StringRef name() const override { return "cuda"; }
  StringRef matmul() const override { return precision; }
  void buildKernels(OpPassManager &pm) const override {
    pm.addPass(device::createKernelRecordsPass());
    pm.addPass(device::createEmbedImagesPass(numbers));
  }
  RuntimeParts runtimeParts() const override {
    return {"sparsec_backend_cuda", "sparsec_open_cuda", {"libsparsec_device.a", "libsparsec_cuda.a"}, {}};
  }
  std::vector<std::string> architectures() const override {
    std::vector<std::string> names;
    for (int number : numbers)
      names.push_back("sm_" + std::to_string(number));
    return names;
  }
  bool needsGPUs() const override { return true; }
  bool runsOn(StringRef architecture) const override {
    int wanted = 0;
    if (!architecture.consume_front("sm_") || architecture.consumeInteger(10, wanted))
      return false;
    int newest = *llvm::max_element(numbers); // as PTX, too
    return llvm::any_of(numbers, [&](int made) { return sparsec_image_runs(made, made == newest, wanted); });
  }

private:
  SmallVector<int> numbers;
  std::string precision;
};
} // namespace

std::unique_ptr<Target> codegen::makeCudaTarget(ArrayRef<int> architectures, StringRef matmul,
                                                ArrayRef<TunedLookup> tuned) {
  return std::make_unique<CudaTarget>(architectures, matmul, tuned);
}
