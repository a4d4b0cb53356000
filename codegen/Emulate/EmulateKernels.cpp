// rec-emulate-kernels: a host function for each kernel.
//
//   gpu.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) kernel { %x = llvm.load %from ... }
// becomes
//   llvm.func internal @emulated.copy(%thread: !llvm.ptr, %arguments: !llvm.ptr) {
//     %from = llvm.load %arguments[0] ...
//     llvm.call @sparsec_emulated_access(%thread, %from, 4, SPARSEC_ACCESS_LOAD, @emulated_site.0)
//     %x = llvm.load %from ...
#include "codegen/Emulate/EmulatedKernel.h"
#include "codegen/Emulate/Passes.h"
#include "codegen/GPU/KernelNames.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {
struct EmulateKernelsPass : PassWrapper<EmulateKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmulateKernelsPass)
  StringRef getArgument() const override { return "rec-emulate-kernels"; }
  StringRef getDescription() const override { return "kernels of a device to host functions for the emulator"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect>();
  }
  void runOnOperation() override;
};
} // namespace

StringRef Sites::text(StringAttr file) {
  StringAttr &name = files[file];
  if (name)
    return name;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  name = b.getStringAttr("emulated_file." + Twine(files.size()));
  std::string bytes = file.str() + '\0';
  LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                         /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(bytes));
  return name;
}

StringRef Sites::of(Location place) {
  MLIRContext *context = module.getContext();
  auto line = place->findInstanceOf<FileLineColLoc>();
  if (!line)
    line = FileLineColLoc::get(context, "unknown", 0, 0);
  StringAttr &name = sites[line];
  if (name)
    return name;
  StringRef file = text(line.getFilename());
  ImplicitLocOpBuilder b(module.getLoc(), context);
  b.setInsertionPointToStart(module.getBody());
  name = b.getStringAttr("emulated_site." + Twine(sites.size()));
  auto type = layout::Site::type(context);
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value site = LLVM::UndefOp::create(b, type);
  auto set = [&](Value value, int64_t field) { site = LLVM::InsertValueOp::create(b, site, value, field); };
  set(LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(context), file), layout::Site::file);
  set(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(line.getLine()))), layout::Site::line);
  set(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(line.getColumn()))), layout::Site::column);
  LLVM::ReturnOp::create(b, site);
  return name;
}

void EmulateKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(moduleName);
  if (!kernels)
    return;
  Sites sites(module);
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    if (kernel.isKernel() && failed(EmulatedKernel(module, sites, kernel).build()))
      return signalPassFailure();
}

std::unique_ptr<Pass> device::createEmulateKernelsPass() { return std::make_unique<EmulateKernelsPass>(); }

void device::registerEmulatePasses() { registerPass(createEmulateKernelsPass); }
