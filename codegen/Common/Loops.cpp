// rec-loops: structured ops on buffers to loops.
//
// An element-wise op on contiguous buffers becomes one loop over all elements, so that narrow matrices vectorise too.
// The outermost loop is marked `sparsec.parallel` where its iterations are independent.
#include "codegen/Common/Passes.h"
#include "codegen/Common/RuntimeCalls.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct LoopsPass : PassWrapper<LoopsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoopsPass)
  StringRef getArgument() const override { return "rec-loops"; }
  StringRef getDescription() const override { return "structured ops on buffers to loops"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override;
};
} // namespace

/// Element by element, all buffers read and written in place and contiguous, no coordinates asked for?
static bool isFlat(linalg::LinalgOp op) {
  if (op.getNumLoops() < 2 || op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics())
    return false;
  return llvm::all_of(op->getOperands(),
                      [](Value v) {
                        auto type = dyn_cast<MemRefType>(v.getType());
                        return !type || type.getLayout().isIdentity();
                      }) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return !isa<MemRefType>(operand.get().getType()) || op.getMatchingIndexingMap(&operand).isIdentity();
         });
}

static linalg::GenericOp flatten(RewriterBase &rewriter, linalg::GenericOp op) {
  Location loc = op.getLoc();
  auto flat = [&](Value buffer) -> Value {
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return memref::CollapseShapeOp::create(rewriter, loc, buffer, SmallVector<ReassociationIndices>{all});
  };
  SmallVector<Value> inputs = llvm::map_to_vector(op.getInputs(), flat),
                     outputs = llvm::map_to_vector(op.getOutputs(), flat);
  SmallVector<AffineMap> maps(op->getNumOperands(), rewriter.getMultiDimIdentityMap(1));
  auto result = linalg::GenericOp::create(rewriter, loc, TypeRange{}, inputs, outputs, maps,
                                          ArrayRef{utils::IteratorType::parallel});
  rewriter.inlineRegionBefore(op.getRegion(), result.getRegion(), result.getRegion().begin());
  rewriter.eraseOp(op);
  return result;
}

/// A copy that is not of one piece of memory is an op like others; the rest becomes memcpy.
static void structureCopies(RewriterBase &rewriter, func::FuncOp function) {
  function.walk([&](memref::CopyOp copy) {
    auto isDense = [](Value v) { return cast<MemRefType>(v.getType()).getLayout().isIdentity(); };
    if (isDense(copy.getSource()) && isDense(copy.getTarget()))
      return;
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
  });
}

void LoopsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  structureCopies(rewriter, getOperation());
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()); generic && isFlat(op))
      op = flatten(rewriter, generic);
    bool independent = op.getNumLoops() > 0 && op.getIteratorTypesArray()[0] == utils::IteratorType::parallel;
    FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops)) {
      op.emitError("cannot be made a loop");
      return signalPassFailure();
    }
    if (independent && !loops->empty())
      (*loops)[0]->setAttr(parallelAttr, rewriter.getUnitAttr());
    rewriter.eraseOp(op);
  }
}

std::unique_ptr<Pass> codegen::createLoopsPass() { return std::make_unique<LoopsPass>(); }
