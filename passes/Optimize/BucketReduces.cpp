// comm-bucket-reduces: sums over the same axes joined in buckets, one collective each.
//
// Sums of numbers are joined in program order until a bucket's bytes reach the limit; then the next begins. Gradients
// are ready from the top layer down, so a full bucket can travel while those of the layers below are computed. The
// limit is the option, or so much that latency does not matter: what crosses between hosts in 16 times the latency, as
// `rec.cluster` says. Sums of rows become one, as one message serves all tables.
//
// The loss rides along with the first gradients: its report moves behind the common sum, still before any update, so
// that all ranks see the same verdict on it.
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Cluster.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec;

namespace {

constexpr double latenciesOfBucket = 16;

/// Moves the users of `op` that stand before `place` behind it, with their own users first.
void sinkUsers(Operation *op, Operation *place) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (user->getBlock() == place->getBlock() && user->isBeforeInBlock(place)) {
      sinkUsers(user, place);
      user->moveAfter(place);
    }
}

/// One collective where the last of these stands.
void join(ArrayRef<comm::AllReduceOp> sums) {
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

/// What a sum of numbers adds to a bucket: f32 of static shapes.
int64_t bytesOf(comm::AllReduceOp op) {
  int64_t bytes = 0;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bytes += 4 * (tensor ? tensor.getNumElements() : 1);
  }
  return bytes;
}

struct BucketReducesPass : PassWrapper<BucketReducesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BucketReducesPass)
  BucketReducesPass() = default;
  BucketReducesPass(const BucketReducesPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "comm-bucket-reduces"; }
  StringRef getDescription() const override { return "Join the sums over the same axes in buckets"; }

  void runOnOperation() override {
    llvm::MapVector<ArrayAttr, SmallVector<comm::AllReduceOp>> numbers, rows; // by axes
    for (auto op : getOperation().getOps<comm::AllReduceOp>())
      (isa<rec::RowsType>(op.getInputs()[0].getType()) ? rows : numbers)[op.getAxes()].push_back(op);
    int64_t full = fullBytes();
    for (auto &[axes, sums] : numbers)
      joinInBuckets(sums, full);
    for (auto &[axes, sums] : rows)
      join(sums);
  }

private:
  int64_t fullBytes() {
    if (limit > 0)
      return limit;
    rec::Cluster cluster = rec::readCluster(getOperation()->getParentOfType<ModuleOp>());
    return int64_t(latenciesOfBucket * cluster.betweenLatency * cluster.betweenRate);
  }

  static void joinInBuckets(ArrayRef<comm::AllReduceOp> sums, int64_t full) {
    SmallVector<comm::AllReduceOp> bucket;
    int64_t bytes = 0;
    for (comm::AllReduceOp op : sums) {
      bytes += bytesOf(op);
      bucket.push_back(op);
      if (bytes < full)
        continue;
      join(bucket);
      bucket.clear();
      bytes = 0;
    }
    join(bucket);
  }

  Option<int64_t> limit{*this, "limit", llvm::cl::init(0),
                        llvm::cl::desc("Bytes that fill a bucket; 0: by the cluster's latency and rate")};
};

} // namespace

std::unique_ptr<Pass> sparsec::createBucketReducesPass() { return std::make_unique<BucketReducesPass>(); }
