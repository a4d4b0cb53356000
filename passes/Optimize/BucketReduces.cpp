// comm-bucket-reduces: all sums over the same axes in one collective, one for numbers and one for rows.
//
// The loss rides along with the gradients: its report moves behind the common sum, still before any update, so that all
// ranks see the same verdict on it.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec;

namespace {

/// Moves the users of `op` that stand before `place` behind it, with their own users first.
void sinkUsers(Operation *op, Operation *place) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (user->getBlock() == place->getBlock() && user->isBeforeInBlock(place)) {
      sinkUsers(user, place);
      user->moveAfter(place);
    }
}

void bucket(ArrayRef<comm::AllReduceOp> sums) {
  if (sums.size() < 2)
    return;
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (comm::AllReduceOp op : sums) {
    llvm::append_range(inputs, op->getOperands());
    llvm::append_range(types, op->getResultTypes());
    locations.push_back(op->getLoc());
  }
  comm::AllReduceOp last = sums.back();
  OpBuilder b(last);
  auto common = comm::AllReduceOp::create(b, b.getFusedLoc(locations), types, inputs, last.getAxes());
  for (comm::AllReduceOp op : sums)
    sinkUsers(op, common);
  size_t next = 0;
  for (comm::AllReduceOp op : sums)
    for (Value result : op->getResults())
      result.replaceAllUsesWith(common.getResult(next++));
  for (comm::AllReduceOp op : sums)
    op->erase();
}

struct BucketReducesPass : PassWrapper<BucketReducesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BucketReducesPass)
  StringRef getArgument() const override { return "comm-bucket-reduces"; }
  StringRef getDescription() const override { return "Join the sums over the same axes in one collective"; }
  void runOnOperation() override {
    llvm::MapVector<std::pair<ArrayAttr, int>, SmallVector<comm::AllReduceOp>> groups;
    for (auto op : getOperation().getOps<comm::AllReduceOp>())
      groups[{op.getAxes(), int(isa<rec::RowsType>(op.getInputs()[0].getType()))}].push_back(op);
    for (auto &[kind, sums] : groups)
      bucket(sums);
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createBucketReducesPass() { return std::make_unique<BucketReducesPass>(); }
