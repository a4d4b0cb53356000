#include "codegen/Emulate/Target.h"
#include "codegen/Emulate/Passes.h"
#include "codegen/GPU/Passes.h"
#include "codegen/GPU/Target.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
class EmulatedTarget : public DeviceTarget {
public:
  using DeviceTarget::DeviceTarget;
  StringRef name() const override { return "cuda-emulated"; }
  void buildKernels(OpPassManager &pm) const override {
    pm.addPass(device::createEmulateKernelsPass());
    pm.addPass(device::createKernelRecordsPass());
  }
  RuntimeParts runtimeParts() const override {
    return {"sparsec_backend_emulated",
            "sparsec_open_emulated",
            {"libsparsec_device.a", "libsparsec_emulate.a"},
            {"-l:libboost_context.a"}};
  }
  std::vector<std::string> architectures() const override { return {"emulated"}; }
};
} // namespace

std::unique_ptr<Target> codegen::makeEmulatedTarget(ArrayRef<TunedLookup> tuned) {
  return std::make_unique<EmulatedTarget>(tuned);
}
