// rec-fuse-updates: the row updates of all tables in one op, so that one sort and one sweep over threads serve them
// all.
//
//   rec.apply_rows %h0, %r0, ...         ->   rec.apply_rows %h0, %h1, %r0, %r1, ...
//   rec.apply_rows %h1, %r1, ...
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

namespace {

struct FuseUpdatesPass : PassWrapper<FuseUpdatesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseUpdatesPass)
  StringRef getArgument() const override { return "rec-fuse-updates"; }
  StringRef getDescription() const override { return "Update the rows of all tables in one op"; }
  void runOnOperation() override {
    using Arguments = std::tuple<Value, Value, Value>;
    llvm::MapVector<Arguments, SmallVector<ApplyRowsOp>> groups;
    for (auto op : getOperation().getOps<ApplyRowsOp>())
      groups[{op.getFactor(), op.getStep(), op.getScale()}].push_back(op);
    for (auto &[arguments, ops] : groups) {
      if (ops.size() < 2)
        continue;
      SmallVector<Value> tables, rows;
      SmallVector<Location> locations;
      for (ApplyRowsOp op : ops) {
        llvm::append_range(tables, op.getTables());
        llvm::append_range(rows, op.getRows());
        locations.push_back(op.getLoc());
      }
      OpBuilder b(ops.back());
      auto [factor, step, scale] = arguments;
      ApplyRowsOp::create(b, b.getFusedLoc(locations), tables, rows, factor, step, scale);
      for (ApplyRowsOp op : ops)
        op.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createFuseUpdatesPass() { return std::make_unique<FuseUpdatesPass>(); }
