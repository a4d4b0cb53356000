// rec-check-lowered: nothing is left that has not been lowered.
//
// In functions no op of `rec` or `comm`; with `only-llvm` no op at all but those of LLVM dialect. Changes nothing.
#include "codegen/Common/Passes.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sparsec;

namespace {
struct CheckLoweredPass : PassWrapper<CheckLoweredPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckLoweredPass)
  CheckLoweredPass() = default;
  CheckLoweredPass(const CheckLoweredPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "rec-check-lowered"; }
  StringRef getDescription() const override { return "Check that no op is left without a lowering"; }
  void runOnOperation() override;
  bool isLeft(Operation *op) {
    if (onlyLLVM)
      return !isa<LLVM::LLVMDialect>(op->getDialect());
    // Around functions they describe the model.
    return isa<rec::RecDialect, comm::CommDialect>(op->getDialect()) && !isa<ModuleOp>(op->getParentOp());
  }
  Option<bool> onlyLLVM{*this, "only-llvm", llvm::cl::init(false),
                        llvm::cl::desc("Nothing but LLVM dialect may be left")};
};
} // namespace

void CheckLoweredPass::runOnOperation() {
  bool sound = true;
  for (Operation &top : *getOperation().getBody())
    top.walk([&](Operation *op) {
      if (!isLeft(op))
        return;
      op->emitOpError(onlyLLVM ? "is left after code generation, where only LLVM dialect may be"
                               : "is left after lowering: code generation has none for it here");
      sound = false;
    });
  if (!sound)
    return signalPassFailure();
  markAllAnalysesPreserved();
}

std::unique_ptr<Pass> codegen::createCheckLoweredPass(bool onlyLLVM) {
  auto pass = std::make_unique<CheckLoweredPass>();
  pass->onlyLLVM = onlyLLVM;
  return pass;
}
