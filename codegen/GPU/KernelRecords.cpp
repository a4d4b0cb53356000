// rec-kernel-records: what the runtime knows of each kernel, from the gpu.func itself.
//
//   gpu.func @lookup_sum_d4(%list: !llvm.ptr<1>, ...) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
//                                                                        sparsec.units = 128 : i32}
//   llvm.mlir.global internal constant @kernel.lookup_sum_d4() { name, 3 arguments, 128 threads, ... }
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/Passes.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {
struct KernelRecordsPass : PassWrapper<KernelRecordsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelRecordsPass)
  StringRef getArgument() const override { return "rec-kernel-records"; }
  StringRef getDescription() const override { return "records of kernels from their functions"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }
  void runOnOperation() override;
};

/// Fills in one record.
struct Record {
  ImplicitLocOpBuilder b;
  ModuleOp module;
  Type pointer;
  Value record;

  Record(ModuleOp module, gpu::GPUFuncOp kernel)
      : b(kernel.getLoc(), kernel.getContext()), module(module), pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void set(int32_t field, Value value) { record = LLVM::InsertValueOp::create(b, record, value, int64_t(field)); }
  void set(int32_t field, int32_t value) { set(field, LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value))); }
  void setAddress(int32_t field, StringRef symbol) {
    set(field, symbol.empty() ? LLVM::ZeroOp::create(b, pointer).getResult()
                              : LLVM::AddressOfOp::create(b, pointer, symbol).getResult());
  }
  std::string text(StringRef kernel);
  void fill(gpu::GPUFuncOp kernel);
};
} // namespace

/// The kernel's name as a C string; the symbol of it.
std::string Record::text(StringRef kernel) {
  std::string symbol = "kernel_name." + kernel.str();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  std::string bytes = kernel.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol, b.getStringAttr(bytes));
  return symbol;
}

static int32_t sharedBytes(gpu::GPUFuncOp kernel) {
  auto memory = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
      kernel, StringAttr::get(kernel.getContext(), sharedName(kernel.getName())));
  return memory ? int32_t(cast<LLVM::LLVMArrayType>(memory.getGlobalType()).getNumElements()) : 0;
}

static bool waits(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<gpu::BarrierOp, gpu::ShuffleOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Record::fill(gpu::GPUFuncOp kernel) {
  StringRef name = kernel.getName();
  LLVM::GlobalOp global = declareKernel(module, name);
  global.setLinkage(LLVM::Linkage::Internal);
  std::string nameText = text(name);
  b.createBlock(&global.getInitializerRegion());
  record = LLVM::UndefOp::create(b, global.getGlobalType());
  auto number = [&](StringRef attribute) {
    auto value = kernel->getAttrOfType<IntegerAttr>(attribute);
    return value ? int32_t(value.getInt()) : 0;
  };
  auto then = kernel->getAttrOfType<FlatSymbolRefAttr>(thenAttr);
  std::string emulated = emulatedName(name);
  setAddress(layout::Kernel::name, nameText);
  set(layout::Kernel::arguments, int32_t(kernel.getNumArguments()));
  set(layout::Kernel::threads, kernel.getKnownBlockSize()->front());
  set(layout::Kernel::shared, sharedBytes(kernel));
  set(layout::Kernel::waits, waits(kernel));
  set(layout::Kernel::units, number(unitsAttr));
  set(layout::Kernel::chunk, number(chunkAttr));
  setAddress(layout::Kernel::then, then ? recordName(then.getValue()) : "");
  setAddress(layout::Kernel::emulated, module.lookupSymbol(emulated) ? emulated : "");
  LLVM::ReturnOp::create(b, record);
}

void KernelRecordsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(moduleName);
  if (!kernels)
    return;
  bool all = true;
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
    if (!kernel.getKnownBlockSize()) {
      kernel.emitError("kernel `") << kernel.getName() << "` does not say how many threads its blocks have";
      return signalPassFailure();
    }
    declareKernel(module, kernel.getName());
  }
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
    Record(module, kernel).fill(kernel);
    all &= module.lookupSymbol(emulatedName(kernel.getName())) != nullptr;
  }
  if (all)
    kernels.erase();
}

std::unique_ptr<Pass> device::createKernelRecordsPass() { return std::make_unique<KernelRecordsPass>(); }

void device::registerKernelPasses() { registerPass(createKernelRecordsPass); }
