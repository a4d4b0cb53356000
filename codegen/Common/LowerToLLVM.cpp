// rec-lower-to-llvm: what is left of func, arith, math, memref and cf to LLVM dialect in one conversion. The ops that
// describe the model go: whoever needs them has read them by now.
#include "codegen/Common/Passes.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"

using namespace mlir;
using namespace sparsec;

namespace {
struct LowerToLLVMPass : PassWrapper<LowerToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLLVMPass)
  StringRef getArgument() const override { return "rec-lower-to-llvm"; }
  StringRef getDescription() const override { return "loops, buffers and calls to LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }
  void runOnOperation() override;
};
} // namespace

void LowerToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<rec::RecDialect, comm::CommDialect>(op.getDialect()))
      op.erase();

  MLIRContext *context = &getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    signalPassFailure();
}

std::unique_ptr<Pass> codegen::createLowerToLLVMPass() { return std::make_unique<LowerToLLVMPass>(); }
