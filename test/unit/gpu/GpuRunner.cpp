#include "test/unit/gpu/GpuRunner.h"
#include "codegen/Emulate/Passes.h"
#include "codegen/GPU/Images.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "sparsec/emulated_thread.h"
#include <stdexcept>

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static DialectRegistry dialects() {
  DialectRegistry registry = kernelDialects();
  registerDeviceTranslations(registry);
  return registry;
}
static ModuleOp emptyModule(MLIRContext &context) {
  context.loadAllAvailableDialects();
  return ModuleOp::create(UnknownLoc::get(&context));
}

GpuRunner::GpuRunner() : mlirContext(dialects()), owned(emptyModule(mlirContext)), made(*owned) {}

void GpuRunner::compile() {
  if (failed(mlir::verify(*owned)))
    throw std::runtime_error("the kernels do not verify");
  PassManager passes(&mlirContext);
  passes.addPass(createEmulateKernelsPass());
  passes.addPass(createKernelRecordsPass());
  if (failed(passes.run(*owned)))
    throw std::runtime_error("the kernels cannot be emulated");
  for (auto global : owned->getOps<LLVM::GlobalOp>())
    if (global.getSymName().starts_with(recordName("")))
      global.setLinkage(LLVM::Linkage::External);
  jit = std::make_unique<Jit>(*owned,
                              std::vector<std::pair<std::string, void *>>{
                                  {"sparsec_emulated_access", reinterpret_cast<void *>(sparsec_emulated_access)},
                                  {"sparsec_emulated_barrier", reinterpret_cast<void *>(sparsec_emulated_barrier)},
                                  {"sparsec_emulated_shuffle", reinterpret_cast<void *>(sparsec_emulated_shuffle)}});
}

const SparsecKernel &GpuRunner::kernel(const std::string &name) {
  return *static_cast<const SparsecKernel *>(jit->address(recordName(name)));
}
