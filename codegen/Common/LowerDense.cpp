// rec-lower-dense: all ops of a step that are not about embeddings.
//
// Needs: entry points with a context (rec-entry-abi). Ensures: no dense op, loss or step op is left. Updates of dense
// parameters move behind everything else, as a parameter's memory is read where its value is used.
#include "codegen/Common/DenseLowering.h"
#include "codegen/Common/Passes.h"
#include "codegen/Common/ProgramIndex.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct LowerDensePass : PassWrapper<LowerDensePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerDensePass)
  StringRef getArgument() const override { return "rec-lower-dense"; }
  StringRef getDescription() const override {
    return "dense ops, losses and the step's ops to linalg and runtime calls";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override;
};
} // namespace

static void moveUpdatesLast(func::FuncOp function) {
  for (Block &block : function.getBody())
    for (auto apply : llvm::to_vector(block.getOps<rec::ApplyOp>()))
      apply->moveBefore(block.getTerminator());
}

void LowerDensePass::runOnOperation() {
  ProgramIndex index(getOperation());
  RewritePatternSet patterns(&getContext());
  populateGemmLowerings(patterns);
  populateElementwiseLowerings(patterns);
  populateColumnLowerings(patterns);
  populateDropoutLowering(patterns);
  populateLossLowerings(patterns);
  populateStepLowerings(patterns, index);
  FrozenRewritePatternSet frozen(std::move(patterns));
  for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
    if (function.isDeclaration())
      continue;
    moveUpdatesLast(function);
    walkAndApplyPatterns(function, frozen);
  }
}

std::unique_ptr<Pass> codegen::createLowerDensePass() { return std::make_unique<LowerDensePass>(); }
