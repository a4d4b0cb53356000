// Lookups of tables that other ranks hold: ids to owners, pooled rows back, and the adjoint of both.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

rec::RouteOp codegen::routeOf(Value bags) {
  bags = rec::originOf(bags);
  if (auto exchange = bags.getDefiningOp<comm::AllToAllOp>())
    return routeOf(exchange.getInput());
  return bags.getDefiningOp<rec::RouteOp>();
}

static int64_t dimOf(EmbeddingLowering &l, rec::ItemAttr item) {
  return l.table(item.getTable()).getPart(item.getPart()).getDim();
}

//===- items -----------------------------------------------------------------------------------------------------===//

/// Fills one SparsecItem of the constant.
static Value itemValue(EmbeddingLowering &l, OpBuilder &b, Location loc, rec::ItemAttr item, FlatSymbolRefAttr lookup) {
  auto type = layout::Item::type(b.getContext());
  rec::TableOp table = l.table(item.getTable());
  rec::PartAttr part = table.getPart(item.getPart());
  Value value = LLVM::UndefOp::create(b, loc, type);
  auto insert = [&](Value field, int64_t at) { value = LLVM::InsertValueOp::create(b, loc, value, field, at); };
  auto number = [&](int64_t n, int64_t at) {
    insert(LLVM::ConstantOp::create(b, loc, type.getBody()[at], b.getIntegerAttr(type.getBody()[at], n)), at);
  };
  auto kernel = [&](FlatSymbolRefAttr symbol, int64_t at) {
    insert(LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), symbol.getValue()), at);
  };
  number(item.getLookup(), layout::Item::lookup);
  number(l.index.table(item.getTable()), layout::Item::table);
  number(item.getPart(), layout::Item::part);
  number(part.getFirst(), layout::Item::first);
  number(part.getCount(), layout::Item::count);
  number(part.getCol0(), layout::Item::col0);
  number(part.getDim(), layout::Item::dim);
  number(table.getRows(), layout::Item::rows);
  kernel(lookup, layout::Item::lookupKernel);
  kernel(l.kernels.combine(part.getDim()), layout::Item::combineKernel);
  return value;
}

static FlatSymbolRefAttr lookupKernel(EmbeddingLowering &l, rec::RouteOp route, rec::ItemAttr item) {
  return l.kernels.lookup(lookupClass(route.getIds()[item.getLookup()], dimOf(l, item)));
}

Value codegen::exchangeItems(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::RouteOp route) {
  SmallVector<Attribute> lookups; // by item
  for (auto item : route.getItems().getAsRange<rec::ItemAttr>())
    lookups.push_back(lookupKernel(l, route, item));
  auto key = b.getArrayAttr({route.getItems(), b.getArrayAttr(lookups)});
  LLVM::GlobalOp &global = l.items[key];
  if (!global) {
    OpBuilder at = OpBuilder::atBlockBegin(l.module.getBody());
    auto array = LLVM::LLVMArrayType::get(layout::Item::type(b.getContext()), route.getItems().size());
    std::string name = "exchange_items";
    for (int n = 1; l.module.lookupSymbol(name); ++n)
      name = "exchange_items_" + std::to_string(n);
    global =
        LLVM::GlobalOp::create(at, b.getLoc(), array, /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute());
    at.createBlock(&global.getInitializerRegion());
    Value list = LLVM::UndefOp::create(at, b.getLoc(), array);
    for (auto [i, item] : llvm::enumerate(route.getItems().getAsRange<rec::ItemAttr>())) {
      Value value = itemValue(l, at, b.getLoc(), item, cast<FlatSymbolRefAttr>(lookups[i]));
      list = LLVM::InsertValueOp::create(at, b.getLoc(), list, value, int64_t(i));
    }
    LLVM::ReturnOp::create(at, b.getLoc(), list);
  }
  return LLVM::AddressOfOp::create(b, global);
}

FailureOr<SmallVector<Value>> codegen::exchangeArguments(EmbeddingLowering &l, ImplicitLocOpBuilder &b, Operation *op,
                                                         ArrayAttr axes, Value bags) {
  rec::RouteOp route = routeOf(bags);
  if (!route)
    return op->emitOpError("expected bags of a `rec.route`");
  for (auto item : route.getItems().getAsRange<rec::ItemAttr>()) {
    rec::TableOp table = l.table(item.getTable());
    if (!table || !table.getParts() || item.getPart() >= int64_t(table.getParts()->size()))
      return op->emitOpError("no part ") << item.getPart() << " of " << item.getTable();
  }
  RuntimeCalls calls(b);
  return SmallVector<Value>{calls.axes(axes), exchangeItems(l, b, route), calls.constant64(route.getItems().size())};
}

SmallVector<Value> codegen::with(SmallVector<Value> arguments, ValueRange more) {
  llvm::append_range(arguments, more);
  return arguments;
}

//===- ids -------------------------------------------------------------------------------------------------------===//

static Results lowerRoute(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::RouteOp op, rec::RouteOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getRouted());
  if (failed(arguments))
    return failure();
  Value result = calls.onStack(calls.pointer(), 1);
  calls.check("sparsec_route",
              with(*arguments, {pointerArray(b, in.getIds()), calls.constant64(in.getIds().size()), result}));
  return SmallVector<Value>{calls.load(calls.pointer(), result, calls.pointer(), {0})};
}

/// The sum of `n` counts that `counts` points to, as index.
static Value total(ImplicitLocOpBuilder &b, Value counts, int64_t n) {
  RuntimeCalls calls(b);
  Value zero = calls.constant64(0), one = calls.constant64(1), end = calls.constant64(n);
  auto sum =
      scf::ForOp::create(b, zero, end, one, zero, [&](OpBuilder &inner, Location loc, Value i, ValueRange before) {
        Value place =
            LLVM::GEPOp::create(inner, loc, counts.getType(), inner.getI64Type(), counts, ArrayRef<LLVM::GEPArg>{i});
        Value count = LLVM::LoadOp::create(inner, loc, inner.getI64Type(), place);
        Value after = arith::AddIOp::create(inner, loc, before.front(), count);
        scf::YieldOp::create(inner, loc, after);
      });
  return calls.asIndex(sum.getResult(0));
}

static Results exchangeIds(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllToAllOp op, Value routed) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getInput());
  if (failed(arguments))
    return failure();
  Value result = calls.onStack(calls.pointer(), 1);
  calls.check("sparsec_exchange_ids", with(*arguments, {routed, result}));
  return SmallVector<Value>{calls.load(calls.pointer(), result, calls.pointer(), {0})};
}

Value codegen::countsAt(ImplicitLocOpBuilder &b, Value pointer, Value result, int64_t ranks) {
  auto type = cast<RankedTensorType>(result.getType());
  Value extent = arith::ConstantIndexOp::create(b, ranks);
  return RuntimeCalls(b).tensorAt(pointer, type, type.isDynamicDim(0) ? ValueRange{extent} : ValueRange{});
}

/// Ids have crossed ranks, so it is known how many rows go where: everything of the exchange sized by that asks here.
static Results lowerExchangeCounts(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::ExchangeCountsOp op,
                                   rec::ExchangeCountsOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getReceived());
  if (failed(arguments))
    return failure();
  int64_t ranks = l.ranks(op.getAxes());
  EmbeddingLowering::Exchange &exchange = l.exchanges[routeOf(op.getReceived())];
  Value toAsker = calls.onStack(b.getI64Type(), ranks), fromOwner = calls.onStack(b.getI64Type(), ranks);
  calls.check("sparsec_exchange_counts", with(*arguments, {in.getRouted(), in.getReceived(), toAsker, fromOwner}));
  exchange.floatsToAskers = total(b, toAsker, ranks);
  exchange.floatsFromOwners = total(b, fromOwner, ranks);
  return SmallVector<Value>{countsAt(b, toAsker, op.getToAsker(), ranks),
                            countsAt(b, fromOwner, op.getFromOwner(), ranks)};
}

//===- rows ------------------------------------------------------------------------------------------------------===//

static Results lowerLookupServed(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::LookupServedOp op,
                                 rec::LookupServedOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getReceived());
  if (failed(arguments))
    return failure();
  Value floats = l.exchanges[routeOf(op.getReceived())].floatsToAskers;
  if (!floats)
    return op.emitOpError("expected a `rec.exchange_counts` of these bags before it");
  Value out = bufferFor(b, op.getRows(), floats);
  auto call = calls.check("sparsec_lookup_served",
                          with(*arguments, {in.getReceived(), calls.constant(op.getInNode()), calls.address(out)}));
  rec::RouteOp route = routeOf(op.getReceived());
  double ranks = double(l.ranks(op.getAxes()));
  setWork(call, worksOf(route, [&](rec::ItemAttr item) {
            Work work = lookupWork(lookupKernel(l, route, item), dimOf(l, item), expectedServed(l, route, item));
            work.items = double(l.table(item.getTable()).getPart(item.getPart()).getCount()) / ranks; // that are mine
            return work;
          }));
  return SmallVector<Value>{calls.asTensor(out)};
}

/// Widths of matrices side by side on the stack.
static Value widths(ImplicitLocOpBuilder &b, ValueRange matrices) {
  RuntimeCalls calls(b);
  Value array = calls.onStack(b.getI64Type(), matrices.size());
  for (auto [i, matrix] : llvm::enumerate(matrices))
    calls.store(calls.constant64(cast<RankedTensorType>(matrix.getType()).getDimSize(1)), array, b.getI64Type(),
                {int32_t(i)});
  return array;
}

static Results lowerCombineSources(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::CombineSourcesOp op,
                                   rec::CombineSourcesOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getRouted());
  if (failed(arguments))
    return failure();
  SmallVector<Value> buffers, places, results;
  for (auto [result, ids, pointer] : llvm::zip(op.getPooled(), op.getIds(), in.getIds())) {
    buffers.push_back(bufferFor(b, result, bagsOf(b, ids, pointer)));
    places.push_back(calls.address(buffers.back()));
  }
  auto call = calls.check("sparsec_combine_sources",
                          with(*arguments, {in.getRouted(), calls.constant(op.getInNode()), calls.address(in.getRows()),
                                            pointerArray(b, places), widths(b, op.getPooled())}));
  rec::RouteOp route = routeOf(op.getRouted());
  setWork(call, worksOf(route, [&](rec::ItemAttr item) {
            double sources = op.getInNode() ? 1 : l.table(item.getTable()).getPart(item.getPart()).getCount();
            double bags = expectedBags(route.getIds()[item.getLookup()]).bags;
            return combineWork(l.kernels.combine(dimOf(l, item)), dimOf(l, item), bags, sources);
          }));
  for (Value buffer : buffers)
    results.push_back(calls.asTensor(buffer));
  return results;
}

static Results lowerSpreadSources(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::SpreadSourcesOp op,
                                  rec::SpreadSourcesOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getRouted());
  if (failed(arguments))
    return failure();
  Value floats = l.exchanges[routeOf(op.getRouted())].floatsFromOwners;
  if (!floats)
    return op.emitOpError("expected a `rec.exchange_counts` of these bags before it");
  if (op.getInNode()) { // once for all owners in a node
    Value shards = arith::ConstantIndexOp::create(b, l.ranks(b.getStrArrayAttr({"shard"})));
    floats = arith::DivUIOp::create(b, floats, shards);
  }
  SmallVector<Value> places;
  for (Value gradient : in.getGradients())
    places.push_back(calls.address(gradient));
  Value out = bufferFor(b, op.getRows(), floats);
  auto call = calls.check("sparsec_spread_sources",
                          with(*arguments, {in.getRouted(), calls.constant(op.getInNode()), pointerArray(b, places),
                                            widths(b, op.getGradients()), calls.address(out)}));
  setWork(call, copyWork(expectedFloats(l, op.getRows()), double(op.getGradients().size())));
  return SmallVector<Value>{calls.asTensor(out)};
}

//===- all-to-all of floats --------------------------------------------------------------------------------------===//

/// Starts it; returns the token and the buffer that will hold the result. `floats` are expected.
static std::pair<Value, Value> start(EmbeddingLowering &l, ImplicitLocOpBuilder &b, ArrayAttr axes, double floats,
                                     Value input, Value send, Value receive) {
  RuntimeCalls calls(b);
  Value counts = calls.address(receive);
  Value buffer =
      calls.newBuffer(RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type()), total(b, counts, l.ranks(axes)));
  Value token = calls.onStack(b.getI64Type(), 1);
  auto call = calls.check("sparsec_exchange_start", {calls.axes(axes), calls.address(input), calls.address(send),
                                                     calls.address(buffer), counts, token});
  double ranks = double(l.ranks(axes));
  setWork(call, Work{{}, 4 * floats * (ranks - 1) / ranks});
  return {calls.load(b.getI64Type(), token, b.getI64Type(), {0}), buffer};
}

static Results lowerAllToAll(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllToAllOp op,
                             comm::AllToAllOp::Adaptor in) {
  if (!in.getSend())
    return exchangeIds(l, b, op, in.getInput());
  auto [token, buffer] =
      start(l, b, op.getAxes(), expectedFloats(l, op.getInput()), in.getInput(), in.getSend(), in.getReceive());
  return waitFor(b, token, buffer, op->getResultTypes());
}
static Results lowerAllToAllStart(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllToAllStartOp op,
                                  comm::AllToAllStartOp::Adaptor in) {
  auto [token, buffer] =
      start(l, b, op.getAxes(), expectedFloats(l, op.getInput()), in.getInput(), in.getSend(), in.getReceive());
  l.started[op.getPending()] = {buffer};
  return SmallVector<Value>{token};
}

void codegen::addExchangeLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::RouteOp>(lowerRoute);
  patterns.add<rec::ExchangeCountsOp>(lowerExchangeCounts);
  patterns.add<rec::LookupServedOp>(lowerLookupServed);
  patterns.add<rec::CombineSourcesOp>(lowerCombineSources);
  patterns.add<rec::SpreadSourcesOp>(lowerSpreadSources);
  patterns.add<comm::AllToAllOp>(lowerAllToAll);
  patterns.add<comm::AllToAllStartOp>(lowerAllToAllStart);
}
