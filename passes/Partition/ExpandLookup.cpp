#include "passes/Partition/ExpandLookup.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

namespace {

struct Expansion {
  OpBuilder &b;
  Location loc;
  Value handle;
  TableOp table;

  RankedTensorType pooledType() {
    return RankedTensorType::get({ShapedType::kDynamic, int64_t(table.getDim())}, b.getF32Type());
  }

  /// Sum-pooled rows of bags, wherever the rows are.
  Value fetch(Value ids) {
    PartAttr first = table.getPart(0);
    if (first.isReplicated())
      return LookupLocalOp::create(b, loc, TypeRange{pooledType()}, ids, handle, b.getDenseI64ArrayAttr({0}))
          .getResult(0);
    return exchange(ids, b.getArrayAttr(SmallVector<Attribute>(first.getAxes().begin(), first.getAxes().end())));
  }

  Value exchange(Value ids, ArrayAttr axes) {
    SmallVector<Attribute> list;
    auto symbol = FlatSymbolRefAttr::get(table.getSymNameAttr());
    for (int64_t part = 0, parts = table.getParts()->size(); part < parts; ++part)
      list.push_back(ItemAttr::get(b.getContext(), 0, symbol, part));
    ArrayAttr items = b.getArrayAttr(list);

    auto bags = JaggedType::get(b.getContext(), ShapedType::kDynamic, ShapedType::kDynamic);
    auto counts = RankedTensorType::get({ShapedType::kDynamic}, b.getIndexType());
    auto flat = RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type());
    Value routed = RouteOp::create(b, loc, bags, ids, items, axes);
    Value received = comm::AllToAllOp::create(b, loc, bags, routed, Value(), Value(), items, axes);
    auto travel = ExchangeCountsOp::create(b, loc, counts, counts, routed, received, items, axes);
    Value served = LookupServedOp::create(b, loc, flat, received, handle, items, axes);
    Value back = comm::AllToAllOp::create(b, loc, flat, served, travel.getToAsker(), travel.getFromOwner(), ArrayAttr(),
                                          axes);
    return CombineSourcesOp::create(b, loc, TypeRange{pooledType()}, back, routed, ids, items, axes).getResult(0);
  }

  Value lookup(LookupOp op) {
    Value ids = op.getIds();
    Pooling pooling = op.getPooling();
    Value rows;
    if (pooling == Pooling::Max || table.getExchange() == Exchange::Unique) {
      Type bags = ids.getType();
      auto unique = UniqueOp::create(b, loc, bags, bags, ids);
      auto home = PoolingAttr::get(b.getContext(), pooling == Pooling::Max ? Pooling::Max : Pooling::Sum);
      rows = PoolRowsOp::create(b, loc, pooledType(), fetch(unique.getUnique()), unique.getAt(), home);
    } else {
      rows = fetch(ids);
    }
    if (pooling != Pooling::Mean)
      return rows;
    Value scale = BagScaleOp::create(b, loc, RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type()), ids);
    return ScaleBagsOp::create(b, loc, pooledType(), rows, scale);
  }
};

} // namespace

Value sparsec::expandLookup(OpBuilder &builder, LookupOp lookup, Value handle, TableOp table) {
  return Expansion{builder, lookup.getLoc(), handle, table}.lookup(lookup);
}
