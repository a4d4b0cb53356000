// comm-overlap-exchanges: collectives become start and wait, as far apart as the program allows.
//
// The start stays where the collective was. The wait, and the pure ops that only its results feed, move down to their
// first user: in the forward part the bottom layers come between, in the backward part other gradients, exchanges and
// buckets. A loss that waits for its sum is reported last before anything is written, so that a bucket which carries it
// is not waited for any sooner.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"

using namespace mlir;
using namespace sparsec;

namespace {

struct OverlapExchangesPass : PassWrapper<OverlapExchangesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapExchangesPass)
  StringRef getArgument() const override { return "comm-overlap-exchanges"; }
  StringRef getDescription() const override { return "Split collectives into start and wait, and let work between"; }

  void runOnOperation() override {
    for (auto collective : llvm::make_early_inc_range(getOperation().getOps<comm::StartableOpInterface>()))
      split(collective);
    sink();
  }

private:
  static void split(comm::StartableOpInterface collective) {
    OpBuilder b(collective);
    Value pending = collective.buildStart(b);
    if (!pending)
      return;
    auto wait = comm::WaitOp::create(b, collective->getLoc(), collective->getResultTypes(), pending);
    collective->replaceAllUsesWith(wait);
    collective->erase();
  }

  /// The first op that may not come before `op`. A report goes past pure ops and collectives, which leave the model as
  /// it is, and stays before the rest: updates above all. Null: there is none.
  static Operation *lastPlace(Operation *op) {
    Operation *first = nullptr;
    if (isa<rec::ReportOp>(op)) {
      first = op->getNextNode();
      while (!first->hasTrait<OpTrait::IsTerminator>() &&
             (isMemoryEffectFree(first) || isa<comm::CommDialect>(first->getDialect())))
        first = first->getNextNode();
    }
    for (Operation *user : op->getUsers())
      if (!first || user->isBeforeInBlock(first))
        first = user;
    return first;
  }

  /// Back to front, so that users have their place before what they use looks for its own.
  void sink() {
    llvm::SmallPtrSet<Operation *, 16> late;
    for (Operation &op : getOperation().front()) {
      bool follows = (isMemoryEffectFree(&op) || isa<rec::ReportOp>(op)) &&
                     llvm::any_of(op.getOperands(), [&](Value v) { return late.contains(v.getDefiningOp()); });
      if (isa<comm::WaitOp>(op) || follows)
        late.insert(&op);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(getOperation().front())))
      if (late.contains(&op))
        if (Operation *place = lastPlace(&op))
          op.moveBefore(place);
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createOverlapExchangesPass() { return std::make_unique<OverlapExchangesPass>(); }
