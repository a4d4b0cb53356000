// rec-fuse-lookups: all local lookups in one op, all exchanges over the same axes in as many steps in one exchange.
//
// Needs: the partitioned program. Ensures: for each entry at most one rec.lookup_local and, for each set of axes, at
// most one exchange whose rows go back in one step and one whose rows go in two. It runs before differentiation, so
// that the backward is fused by construction.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Partition/LookupExchange.h"
#include "passes/Partition/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

namespace {

/// Moves what `value` is computed from in front of `place`. Ids, handles and batch sizes depend on no lookup.
void makeAvailable(Value value, Operation *place) {
  Operation *op = value.getDefiningOp();
  if (!op || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    makeAvailable(operand, place);
  op->moveBefore(place);
}

void fuseLocal(func::FuncOp function) {
  auto lookups = llvm::to_vector(function.getOps<LookupLocalOp>());
  if (lookups.size() < 2)
    return;
  Operation *place = lookups.front();
  SmallVector<Value> ids, results;
  SmallVector<Type> types;
  llvm::SetVector<Value> tables;
  SmallVector<int64_t> tableOf;
  SmallVector<Location> locations;
  for (LookupLocalOp op : lookups) {
    locations.push_back(op.getLoc());
    for (auto [id, which, result] : llvm::zip(op.getIds(), op.getTableOf(), op.getResults())) {
      Value table = op.getTables()[which];
      tables.insert(table);
      ids.push_back(id);
      tableOf.push_back(llvm::find(tables, table) - tables.begin());
      types.push_back(result.getType());
      results.push_back(result);
    }
  }
  for (Value v : ids)
    makeAvailable(v, place);
  for (Value v : tables)
    makeAvailable(v, place);
  OpBuilder b(place);
  auto fused = LookupLocalOp::create(b, b.getFusedLoc(locations), types, ids, tables.getArrayRef(),
                                     b.getDenseI64ArrayAttr(tableOf));
  for (auto [old, result] : llvm::zip(results, fused.getResults()))
    old.replaceAllUsesWith(result);
  for (LookupLocalOp op : lookups)
    op.erase();
}

/// Erases `unused` and what only it used, exchanges included.
void eraseBackwards(Operation *unused) {
  llvm::SetVector<Operation *> candidates;
  candidates.insert(unused);
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!op->use_empty()) // another exchange may read the same route
      continue;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        candidates.insert(maker);
    op->erase();
  }
}

RouteOp routeOf(CombineSourcesOp combine) { return combine.getRouted().getDefiningOp<RouteOp>(); }

/// What owners served, before its rows travelled.
LookupServedOp servedOf(CombineSourcesOp combine) {
  Operation *op = combine.getRows().getDefiningOp();
  while (!isa<LookupServedOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return cast<LookupServedOp>(op);
}

/// Lookups of the same ids in the same table share one route, though not yet their exchanges, which CSE leaves alone.
void dropRepeated(SmallVector<CombineSourcesOp> &exchanges) {
  llvm::SmallDenseMap<Operation *, CombineSourcesOp> first;
  llvm::erase_if(exchanges, [&](CombineSourcesOp combine) {
    auto [kept, fresh] = first.try_emplace(routeOf(combine), combine);
    if (fresh)
      return false;
    combine->replaceAllUsesWith(kept->second);
    eraseBackwards(combine);
    return true;
  });
}

/// One exchange for all that these end.
void fuseExchanges(SmallVector<CombineSourcesOp> exchanges) {
  dropRepeated(exchanges);
  if (exchanges.size() < 2)
    return;
  // A lookup of distinct ids may stand behind the first exchange, but needs nothing of it.
  Operation *place = routeOf(exchanges.front());
  LookupExchange all;
  all.axes = exchanges.front().getAxes();
  all.inNode = exchanges.front().getInNodeAttr();
  SmallVector<Value> results;
  SmallVector<Location> locations;
  for (CombineSourcesOp combine : exchanges) {
    int64_t before = all.ids.size();
    locations.push_back(combine.getLoc());
    llvm::append_range(all.ids, combine.getIds());
    for (Value table : servedOf(combine).getTables())
      all.tables.insert(table);
    for (auto item : combine.getItems().getAsRange<ItemAttr>())
      all.items.push_back(ItemAttr::get(item.getContext(), before + item.getLookup(), item.getTable(), item.getPart()));
    llvm::append_range(results, combine.getResults());
    llvm::append_range(all.pooled, combine.getResultTypes());
  }
  for (Value v : all.ids)
    makeAvailable(v, place);
  for (Value v : all.tables)
    makeAvailable(v, place);

  OpBuilder b(place);
  CombineSourcesOp fused = all.build(b, b.getFusedLoc(locations));
  for (auto [old, result] : llvm::zip(results, fused.getResults()))
    old.replaceAllUsesWith(result);
  for (CombineSourcesOp combine : exchanges)
    eraseBackwards(combine);
}

struct FuseLookupsPass : PassWrapper<FuseLookupsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseLookupsPass)
  StringRef getArgument() const override { return "rec-fuse-lookups"; }
  StringRef getDescription() const override {
    return "Fuse local lookups, and exchanges over the same axes in as many steps";
  }
  void runOnOperation() override {
    fuseLocal(getOperation());
    llvm::MapVector<std::pair<ArrayAttr, UnitAttr>, SmallVector<CombineSourcesOp>> groups;
    for (auto combine : getOperation().getOps<CombineSourcesOp>())
      groups[{combine.getAxes(), combine.getInNodeAttr()}].push_back(combine);
    for (auto &[way, exchanges] : groups)
      fuseExchanges(std::move(exchanges));
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createFuseLookupsPass() { return std::make_unique<FuseLookupsPass>(); }
