// rec-fuse-lookups: all local lookups in one op, all exchanges over the same axes in one exchange.
//
// Needs: the partitioned program. Ensures: for each entry at most one rec.lookup_local and, for each set of axes, one
// route, one exchange of ids, one of rows. It runs before differentiation, so that the backward is fused by construction.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// One exchange as partition writes it, from route to combine.
struct Exchange {
  RouteOp route;
  comm::AllToAllOp idExchange, rowExchange;
  ExchangeCountsOp counts;
  LookupServedOp served;
  CombineSourcesOp combine;

  explicit Exchange(CombineSourcesOp combine) : combine(combine) {
    rowExchange = combine.getRows().getDefiningOp<comm::AllToAllOp>();
    served = rowExchange.getInput().getDefiningOp<LookupServedOp>();
    idExchange = served.getReceived().getDefiningOp<comm::AllToAllOp>();
    counts = rowExchange.getSend().getDefiningOp<ExchangeCountsOp>();
    route = idExchange.getInput().getDefiningOp<RouteOp>();
  }
  void erase() {
    for (Operation *op : {combine.getOperation(), rowExchange.getOperation(), served.getOperation(),
                          counts.getOperation(), idExchange.getOperation(), route.getOperation()})
      if (op->use_empty()) // another exchange may read the same route
        op->erase();
  }
};

/// Lookups of the same ids in the same table share one route, though not yet their exchanges, which CSE leaves alone.
void dropRepeated(SmallVector<Exchange> &exchanges) {
  llvm::SmallDenseMap<Operation *, CombineSourcesOp> first;
  llvm::erase_if(exchanges, [&](Exchange &e) {
    auto [kept, fresh] = first.try_emplace(e.route, e.combine);
    if (fresh)
      return false;
    e.combine->replaceAllUsesWith(kept->second);
    e.erase();
    return true;
  });
}

void fuseExchanges(SmallVector<Exchange> exchanges) {
  dropRepeated(exchanges);
  if (exchanges.size() < 2)
    return;
  // A lookup of distinct ids may stand behind the first exchange, but needs nothing of it.
  Operation *place = exchanges.front().route;
  SmallVector<Value> ids, results;
  SmallVector<Type> types;
  SmallVector<Attribute> list;
  SmallVector<Location> locations;
  llvm::SetVector<Value> tables;
  for (Exchange &e : exchanges) {
    int64_t before = ids.size();
    locations.push_back(e.route.getLoc());
    llvm::append_range(ids, e.route.getIds());
    for (Value table : e.served.getTables())
      tables.insert(table);
    for (auto item : e.route.getItems().getAsRange<ItemAttr>())
      list.push_back(ItemAttr::get(item.getContext(), before + item.getLookup(), item.getTable(), item.getPart()));
    llvm::append_range(results, e.combine.getResults());
    llvm::append_range(types, e.combine.getResultTypes());
  }
  for (Value v : ids)
    makeAvailable(v, place);
  for (Value v : tables)
    makeAvailable(v, place);

  OpBuilder b(place);
  Location loc = b.getFusedLoc(locations);
  Exchange &first = exchanges.front();
  ArrayAttr items = b.getArrayAttr(list), axes = first.route.getAxes();
  Type bags = first.route.getRouted().getType(), counts = first.counts.getToAsker().getType();
  Type flat = first.served.getRows().getType();
  Value routed = RouteOp::create(b, loc, bags, ids, items, axes);
  Value received = comm::AllToAllOp::create(b, loc, bags, routed, Value(), Value(), items, axes);
  auto travel = ExchangeCountsOp::create(b, loc, counts, counts, routed, received, items, axes);
  Value served = LookupServedOp::create(b, loc, flat, received, tables.getArrayRef(), items, axes);
  Value back =
      comm::AllToAllOp::create(b, loc, flat, served, travel.getToAsker(), travel.getFromOwner(), ArrayAttr(), axes);
  auto combine = CombineSourcesOp::create(b, loc, types, back, routed, ids, items, axes);
  for (auto [old, result] : llvm::zip(results, combine.getResults()))
    old.replaceAllUsesWith(result);
  for (Exchange &e : exchanges)
    e.erase();
}

struct FuseLookupsPass : PassWrapper<FuseLookupsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseLookupsPass)
  StringRef getArgument() const override { return "rec-fuse-lookups"; }
  StringRef getDescription() const override { return "Fuse local lookups, and exchanges over the same axes"; }
  void runOnOperation() override {
    fuseLocal(getOperation());
    llvm::MapVector<ArrayAttr, SmallVector<Exchange>> byAxes;
    for (auto combine : getOperation().getOps<CombineSourcesOp>())
      byAxes[combine.getAxes()].push_back(Exchange(combine));
    for (auto &[axes, exchanges] : byAxes)
      fuseExchanges(std::move(exchanges));
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createFuseLookupsPass() { return std::make_unique<FuseLookupsPass>(); }
