// comm-check-order: every rank starts the same collectives in the same order.
//
// All ranks run one program, so this holds as long as no collective stands under control flow, and every started one is
// finished; a start's verifier asks for its wait. Runs at the end of each stage that makes or moves collectives.
// Changes nothing.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"

using namespace mlir;
using namespace sparsec;

namespace {

struct CheckOrderPass : PassWrapper<CheckOrderPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckOrderPass)
  StringRef getArgument() const override { return "comm-check-order"; }
  StringRef getDescription() const override { return "Check that all ranks start the same collectives in one order"; }
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    Block *entry = &getOperation().front();
    bool sound = true;
    getOperation().walk([&](Operation *op) {
      if (!isa<comm::CommDialect>(op->getDialect()))
        return;
      if (op->getBlock() != entry || !llvm::hasSingleElement(getOperation().getBody())) {
        op->emitOpError("stands under control flow, where ranks may differ");
        sound = false;
      }
    });
    if (!sound)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createCheckOrderPass() { return std::make_unique<CheckOrderPass>(); }

void sparsec::registerOptimizePasses() {
  registerPass(createSplitInputPass);
  registerPass(createFuseUpdatesPass);
  registerPass(createBucketReducesPass);
  registerPass(createOverlapExchangesPass);
  registerPass(createCheckOrderPass);
}
