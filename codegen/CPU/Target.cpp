#include "codegen/CPU/Target.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
class CPUTarget : public Target {
public:
  explicit CPUTarget(bool parallel) : parallel(parallel) {}
  StringRef name() const override { return "cpu"; }
  std::unique_ptr<KernelSet> makeKernels(ModuleOp module) const override { return makeCPUKernels(module); }
  void buildBuffers(OpPassManager &pm) const override {
    pm.addPass(createMemoryPlanPass());
    pm.addNestedPass<func::FuncOp>(createLoopsPass());
    if (parallel)
      pm.addPass(createParallelizePass());
  }

private:
  bool parallel;
};
} // namespace

std::unique_ptr<Target> codegen::makeCPUTarget(bool parallel) { return std::make_unique<CPUTarget>(parallel); }

void codegen::registerCodegenCPUPasses() {
  registerPass([] { return createLowerEmbeddingPass(makeCPUKernels); });
}
