// rec-split-input: what a step must hear from other ranks about its batch becomes an entry point of its own, which the
// runtime runs one batch ahead.
//
//   func.func @train(%step) {                       func.func @train_input(%step) {
//     %b = rec.batch_size                             %b = rec.batch_size
//     %n = comm.agree %status, %b                     %n = comm.agree %status, %b
//     %i = rec.ids %b                                 %i = rec.ids %b
//     %r = rec.route %i                        ->     %r = rec.route %i
//     %q = comm.all_to_all %r                         %q = comm.all_to_all %r
//     %p = rec.lookup_served %q, %table               rec.hand_over %n, %r, %q
//     ...                                           }
//   }                                               func.func @train(%step) {
//                                                     %n, %r, %q = rec.take_over {from = @train_input}
//                                                     %b = rec.batch_size
//                                                     %p = rec.lookup_served %q, %table
//                                                     ...
//
// What moves: collectives of sizes, statuses and ids that depend on the batch alone, what else makes bags of them
// (rec.unique), and all that these need. So no table, no parameter and no float is touched there.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Optimize/Passes.h"

using namespace mlir;
using namespace sparsec;

namespace {

struct SplitInputPass : PassWrapper<SplitInputPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitInputPass)
  StringRef getArgument() const override { return "rec-split-input"; }
  StringRef getDescription() const override {
    return "Exchange sizes and ids in an entry point that runs a batch ahead";
  }
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr("rec.entry"))
        split(function);
  }

private:
  using Ops = llvm::SetVector<Operation *>;
  static bool isCollective(Operation *op) { return isa<comm::CommDialect>(op->getDialect()); }
  static Ops opsOfBatch(Block &block);
  static Ops opsOfInput(Block &block);
  void split(func::FuncOp entry);
};

/// Ops whose results depend on the batch and on nothing else.
SplitInputPass::Ops SplitInputPass::opsOfBatch(Block &block) {
  Ops found;
  for (Operation &op : block) {
    bool starts = op.hasTrait<ReadsBatch>();
    bool follows = op.getNumOperands() > 0 && (isCollective(&op) || isMemoryEffectFree(&op));
    if ((starts || follows) &&
        llvm::all_of(op.getOperands(), [&](Value v) { return found.contains(v.getDefiningOp()); }))
      found.insert(&op);
  }
  return found;
}

/// Of these, what makes sizes, statuses and ids, and what that needs; in the order of the block.
SplitInputPass::Ops SplitInputPass::opsOfInput(Block &block) {
  Ops ofBatch = opsOfBatch(block), needed;
  for (Operation *op : llvm::reverse(ofBatch)) {
    bool makesBags = !op->hasTrait<ReadsBatch>() && llvm::any_of(op->getResultTypes(), llvm::IsaPred<rec::JaggedType>);
    bool root = (isCollective(op) || makesBags) &&
                llvm::all_of(op->getResultTypes(), llvm::IsaPred<IndexType, rec::JaggedType>);
    if (root || llvm::any_of(op->getUsers(), [&](Operation *user) { return needed.contains(user); }))
      needed.insert(op);
  }
  Ops inOrder;
  inOrder.insert(needed.rbegin(), needed.rend());
  return inOrder;
}

void SplitInputPass::split(func::FuncOp entry) {
  Ops moved = opsOfInput(entry.front());
  if (moved.empty())
    return;
  OpBuilder b(entry);
  auto input = func::FuncOp::create(b, entry.getLoc(), rec::inputEntryName(entry.getName()), entry.getFunctionType());
  input->setAttr("rec.entry", b.getUnitAttr());
  b.setInsertionPointToStart(input.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : moved)
    b.clone(*op, mapping);

  SmallVector<Value> handed, there;
  for (Operation *op : moved)
    for (Value result : op->getResults())
      if (!op->hasTrait<ReadsBatch>() &&
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !moved.contains(user); })) {
        handed.push_back(result);
        there.push_back(mapping.lookup(result));
      }
  rec::HandOverOp::create(b, entry.getLoc(), there);
  func::ReturnOp::create(b, entry.getLoc());

  b.setInsertionPointToStart(&entry.front());
  auto taken = rec::TakeOverOp::create(b, entry.getLoc(), ValueRange(handed).getTypes(), input.getName());
  for (auto [before, after] : llvm::zip(handed, taken.getValues()))
    before.replaceAllUsesWith(after);
  for (Operation *op : llvm::reverse(moved))
    if (op->use_empty())
      op->erase();
}

} // namespace

std::unique_ptr<Pass> sparsec::createSplitInputPass() { return std::make_unique<SplitInputPass>(); }
