// comm-overlap-exchanges: exchanges of rows become start and wait, as far apart as the program allows.
//
// The start stays where the exchange was. The wait, and the pure ops that only its result feeds, move down to their first
// user: in the forward part the bottom layers come between, in the backward part the rest of the dense gradients.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Optimize/Passes.h"

using namespace mlir;
using namespace sparsec;

namespace {

struct OverlapExchangesPass : PassWrapper<OverlapExchangesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapExchangesPass)
  StringRef getArgument() const override { return "comm-overlap-exchanges"; }
  StringRef getDescription() const override { return "Split exchanges of rows into start and wait, and let work between"; }

  void runOnOperation() override {
    for (auto exchange : llvm::make_early_inc_range(getOperation().getOps<comm::AllToAllOp>()))
      if (exchange.getSend())
        split(exchange);
    sink();
  }

private:
  void split(comm::AllToAllOp exchange) {
    OpBuilder b(exchange);
    Type type = exchange.getResult().getType();
    auto start = comm::AllToAllStartOp::create(b, exchange.getLoc(), comm::PendingType::get(&getContext(), type),
                                               exchange.getInput(), exchange.getSend(), exchange.getReceive(),
                                               exchange.getAxes());
    auto wait = comm::WaitOp::create(b, exchange.getLoc(), type, start.getPending());
    exchange.replaceAllUsesWith(wait.getResult());
    exchange.erase();
  }

  /// Back to front, so that users have their place before what they use looks for its own.
  void sink() {
    llvm::SmallPtrSet<Operation *, 16> late;
    for (Operation &op : getOperation().front()) {
      bool waits = isa<comm::WaitOp>(op);
      bool follows = isMemoryEffectFree(&op) &&
                     llvm::any_of(op.getOperands(), [&](Value v) { return late.contains(v.getDefiningOp()); });
      if (waits || follows)
        late.insert(&op);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(getOperation().front()))) {
      if (!late.contains(&op))
        continue;
      Operation *first = nullptr;
      for (Operation *user : op.getUsers())
        if (!first || user->isBeforeInBlock(first))
          first = user;
      if (first)
        op.moveBefore(first);
    }
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createOverlapExchangesPass() { return std::make_unique<OverlapExchangesPass>(); }
