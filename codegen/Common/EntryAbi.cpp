// rec-entry-abi: the signature that the runtime calls, SparsecEntry of abi.h.
//
//   func.func @train(%step: i64) attributes {rec.entry} { ... return }
// becomes
//   func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} { ... return %zero }
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sparsec;

namespace {
struct EntryAbiPass : PassWrapper<EntryAbiPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EntryAbiPass)
  StringRef getArgument() const override { return "rec-entry-abi"; }
  StringRef getDescription() const override { return "entry points take the context and return a status"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect>();
  }
  LogicalResult rewrite(func::FuncOp entry);
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("rec.entry") && failed(rewrite(function)))
        return signalPassFailure();
  }
};
} // namespace

LogicalResult EntryAbiPass::rewrite(func::FuncOp entry) {
  Builder b(&getContext());
  FunctionType type = entry.getFunctionType();
  if (entry.isExternal() || type.getNumInputs() != 1 || !type.getInput(0).isInteger(64) || type.getNumResults() != 0)
    return entry.emitError("expected an entry point of type `(i64) -> ()`, but got ") << type;
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  if (failed(entry.insertArgument(0, pointer, {}, entry.getLoc())))
    return failure();
  entry.setFunctionType(b.getFunctionType(entry.getArgumentTypes(), b.getI32Type()));
  entry.walk([&](func::ReturnOp ret) {
    OpBuilder at(ret);
    Value zero = arith::ConstantOp::create(at, ret.getLoc(), at.getI32IntegerAttr(0));
    ret.getOperandsMutable().assign(zero);
  });
  return success();
}

std::unique_ptr<Pass> codegen::createEntryAbiPass() { return std::make_unique<EntryAbiPass>(); }
