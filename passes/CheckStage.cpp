// rec-check-stage: no op is left that a stage up to `after` replaces.
//
// Ops say which stage that is (ReplacedOpInterface). Stages look at the straight-line body of entry points alone; an op
// elsewhere, in a function that is no entry or under control flow, would reach code generation. Changes nothing.
//
//   rec.lookup                        left after `partition`: error
//   rec.minimize, comm.replicate      left after `differentiate`: error
#include "dialect/Interfaces/SparsecInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipelines.h"

using namespace mlir;
using namespace sparsec;

namespace {

struct CheckStagePass : PassWrapper<CheckStagePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckStagePass)
  CheckStagePass() = default;
  CheckStagePass(const CheckStagePass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "rec-check-stage"; }
  StringRef getDescription() const override { return "Check that no op is left that a stage should have replaced"; }
  void runOnOperation() override {
    auto all = stages();
    const auto *last = llvm::find_if(all, [&](const Stage &stage) { return stage.name == after.getValue(); });
    if (last == all.end()) {
      getOperation().emitError("expected `after` to be a stage, but got `") << after.getValue() << "`";
      return signalPassFailure();
    }
    bool sound = true;
    getOperation().walk([&](ReplacedOpInterface op) {
      StringRef replacing = op.getReplacingStage();
      if (std::none_of(all.begin(), last + 1, [&](const Stage &stage) { return stage.name == replacing; }))
        return;
      op->emitOpError("is left after `") << after.getValue() << "`: stage `" << replacing
                                         << "` should have replaced it";
      sound = false;
    });
    if (!sound)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
  Option<std::string> after{*this, "after", llvm::cl::desc("The stage that has just ended")};
};

} // namespace

std::unique_ptr<Pass> sparsec::createCheckStagePass(StringRef after) {
  auto pass = std::make_unique<CheckStagePass>();
  pass->after = after.str();
  return pass;
}
