#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Import/Passes.h"

using namespace mlir;

namespace sparsec {

#define GEN_PASS_DEF_DERIVEENTRIES
#include "passes/Import/Passes.h.inc"

namespace {

/// Ops that are not needed any more, last first.
void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Makes the forward part of `entry`, a copy of @train: outputs in place of losses.
LogicalResult makeForward(func::FuncOp entry, int64_t batch, bool predict) {
  Block &body = entry.getBody().front();
  OpBuilder builder(body.getTerminator());
  SmallVector<LossOpInterface> losses(body.getOps<LossOpInterface>());
  for (LossOpInterface loss : losses) {
    if (!loss.getTaskAttr())
      return loss->emitOpError("expected `task`, to derive `@") << entry.getSymName() << "`";
    Value output = loss.getOutput();
    if (predict)
      output = loss.buildPrediction(builder, output);
    rec::OutputOp::create(builder, loss.getLoc(), output, loss.getTaskAttr());
  }
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (isa<rec::MinimizeOp, rec::ReportOp>(op)) {
      op.erase();
    } else if (auto dropout = dyn_cast<rec::DropoutOp>(op)) {
      dropout.replaceAllUsesWith(dropout.getX());
      op.erase();
    } else if (auto size = dyn_cast<rec::BatchSizeOp>(op)) {
      size.setMax(batch);
    }
  }
  eraseDeadOps(body);
  return success();
}

struct DeriveEntries : impl::DeriveEntriesBase<DeriveEntries> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto train = module.lookupSymbol<func::FuncOp>("train");
    auto trainings = module.getOps<rec::TrainingOp>();
    if (!train || trainings.empty()) {
      module.emitError("expected `@train` and `rec.training`, as the import builds them");
      return signalPassFailure();
    }
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfter(train);
    for (StringRef name : {"eval", "predict"}) {
      if (Operation *other = module.lookupSymbol(name)) {
        other->emitError("`@") << name << "` is there before it is derived";
        return signalPassFailure();
      }
      auto entry = cast<func::FuncOp>(builder.clone(*train));
      entry.setSymName(name);
      if (failed(makeForward(entry, (*trainings.begin()).getEvalBatch(), name == "predict")))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace sparsec
