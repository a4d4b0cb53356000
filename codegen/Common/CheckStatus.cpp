// rec-check-status: calls marked `sparsec.checked` leave the entry point when they fail.
//
// Needs: marked calls in the entry point's own block, not in loops. Ensures: one exit block that returns the status;
// what stands behind a failed call does not run.
#include "codegen/Common/Passes.h"
#include "codegen/Common/RuntimeCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct CheckStatusPass : PassWrapper<CheckStatusPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckStatusPass)
  StringRef getArgument() const override { return "rec-check-status"; }
  StringRef getDescription() const override { return "marked calls leave the entry point when they fail"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect>();
  }
  LogicalResult rewrite(func::FuncOp entry);
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(rewrite(function)))
        return signalPassFailure();
  }
};
} // namespace

/// An i32 that is not 0 if the call failed.
static Value statusOf(ImplicitLocOpBuilder &b, LLVM::CallOp call) {
  Value result = call.getResult();
  if (result.getType().isInteger(32))
    return result;
  Value null = LLVM::ZeroOp::create(b, result.getType());
  Value failed = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, result, null);
  return arith::ExtUIOp::create(b, b.getI32Type(), failed);
}

LogicalResult CheckStatusPass::rewrite(func::FuncOp entry) {
  SmallVector<LLVM::CallOp> checked;
  WalkResult walk = entry.walk([&](LLVM::CallOp call) -> WalkResult {
    if (!call->hasAttr(checkedAttr))
      return WalkResult::advance();
    if (call->getParentOp() != entry)
      return call.emitError("a call that can fail may not stand in a loop");
    checked.push_back(call);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (checked.empty())
    return success();
  if (entry.getNumResults() != 1 || !entry.getResultTypes()[0].isInteger(32))
    return entry.emitError("expected a function with calls that can fail to return a status");

  auto *exit = new Block;
  entry.getBody().push_back(exit);
  Value status = exit->addArgument(IntegerType::get(&getContext(), 32), entry.getLoc());
  OpBuilder atExit = OpBuilder::atBlockEnd(exit);
  func::ReturnOp::create(atExit, entry.getLoc(), status);

  for (LLVM::CallOp call : checked) {
    call->removeAttr(checkedAttr);
    Block *before = call->getBlock();
    Block *after = before->splitBlock(call->getNextNode());
    ImplicitLocOpBuilder b(call.getLoc(), OpBuilder::atBlockEnd(before));
    Value code = statusOf(b, call);
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value failed = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, code, zero);
    cf::CondBranchOp::create(b, failed, exit, ValueRange{code}, after, ValueRange{});
  }
  return success();
}

std::unique_ptr<Pass> codegen::createCheckStatusPass() { return std::make_unique<CheckStatusPass>(); }
