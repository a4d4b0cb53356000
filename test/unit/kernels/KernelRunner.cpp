#include "test/unit/kernels/KernelRunner.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sparsec::codegen;

static ModuleOp emptyModule(MLIRContext &context) {
  context.loadAllAvailableDialects();
  return ModuleOp::create(UnknownLoc::get(&context));
}

KernelRunner::KernelRunner() : mlirContext(kernelDialects()), module(emptyModule(mlirContext)), made(*module) {}
KernelRunner::~KernelRunner() = default;

void KernelRunner::compile() {
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    function.setLinkage(LLVM::Linkage::External);
  jit = std::make_unique<Jit>(*module);
}

void *KernelRunner::address(const std::string &name) { return jit->address(name); }
