#include "passes/Partition/ExpandLookup.h"
#include "passes/Partition/LookupExchange.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

namespace {

struct Expansion {
  OpBuilder &b;
  Location loc;
  Value handle;
  TableOp table;
  int64_t shards;

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
    LookupExchange exchange{{ids}, {pooledType()}, {}, {}, axes, {}};
    exchange.tables.insert(handle);
    auto symbol = FlatSymbolRefAttr::get(table.getSymNameAttr());
    bool inNode = true;
    for (int64_t part = 0, parts = table.getParts()->size(); part < parts; ++part) {
      exchange.items.push_back(ItemAttr::get(b.getContext(), 0, symbol, part));
      inNode &= table.getPart(part).fillsNode(shards);
    }
    if (inNode)
      exchange.inNode = b.getUnitAttr();
    return exchange.build(b, loc).getResult(0);
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

Value sparsec::expandLookup(OpBuilder &builder, LookupOp lookup, Value handle, TableOp table, int64_t shards) {
  return Expansion{builder, lookup.getLoc(), handle, table, shards}.lookup(lookup);
}
