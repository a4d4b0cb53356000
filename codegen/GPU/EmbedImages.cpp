// rec-embed-images: the kernels of a device leave the module as code for devices, in constants.
//
//   gpu.module @kernels { ... }
// becomes
//   llvm.mlir.global internal constant @device_image.0("\7FELF...")
//   llvm.mlir.global internal constant @device_images() : !llvm.array<N x struct<(i32, i32, ptr, i64)>>   SparsecImage
//
// Needs: the records of kernels (rec-kernel-records).
#include "codegen/Common/Target.h"
#include "codegen/GPU/Images.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {
struct EmbedImagesPass : PassWrapper<EmbedImagesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmbedImagesPass)
  explicit EmbedImagesPass(ArrayRef<int> architectures) : architectures(architectures) {}
  StringRef getArgument() const override { return "rec-embed-images"; }
  StringRef getDescription() const override { return "kernels of a device to constants with their code"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }
  void runOnOperation() override;
  SmallVector<int> architectures;
};
} // namespace

/// A constant with these bytes. PTX is a C string.
static LLVM::GlobalOp bytesOf(ImplicitLocOpBuilder &b, const Image &image, size_t number) {
  std::string bytes = image.bytes;
  if (image.isPtx)
    bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                "device_image." + std::to_string(number), b.getStringAttr(bytes), /*alignment=*/64);
}

static void embed(ModuleOp module, ArrayRef<Image> images) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToStart(module.getBody());
  SmallVector<LLVM::GlobalOp> bytes;
  for (auto [i, image] : llvm::enumerate(images))
    bytes.push_back(bytesOf(b, image, i));
  Type i32 = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto entry = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, pointer, b.getI64Type()});
  auto list = LLVM::LLVMArrayType::get(entry, images.size());
  auto global =
      LLVM::GlobalOp::create(b, list, /*isConstant=*/true, LLVM::Linkage::Internal, imagesGlobal, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value all = LLVM::UndefOp::create(b, list);
  for (auto [i, image] : llvm::enumerate(images)) {
    auto set = [&](Value value, int64_t field) {
      all = LLVM::InsertValueOp::create(b, all, value, ArrayRef<int64_t>{int64_t(i), field});
    };
    set(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(image.arch)), 0);
    set(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(image.isPtx)), 1);
    set(LLVM::AddressOfOp::create(b, bytes[i]), 2);
    int64_t size = cast<LLVM::LLVMArrayType>(bytes[i].getGlobalType()).getNumElements();
    set(LLVM::ConstantOp::create(b, b.getI64IntegerAttr(size)), 3);
  }
  LLVM::ReturnOp::create(b, all);
}

void EmbedImagesPass::runOnOperation() {
  auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>(moduleName);
  if (!kernels)
    return;
  FailureOr<std::vector<Image>> images = deviceImages(kernels, architectures);
  if (failed(images))
    return signalPassFailure();
  kernels.erase();
  embed(getOperation(), *images);
}

std::unique_ptr<Pass> device::createEmbedImagesPass(ArrayRef<int> architectures) {
  return std::make_unique<EmbedImagesPass>(architectures);
}
