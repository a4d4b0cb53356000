#include "passes/Partition/LookupExchange.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

CombineSourcesOp LookupExchange::build(OpBuilder &b, Location loc) const {
  auto bags = JaggedType::get(b.getContext(), ShapedType::kDynamic, ShapedType::kDynamic);
  auto counts = RankedTensorType::get({ShapedType::kDynamic}, b.getIndexType());
  auto flat = RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type());
  ArrayAttr list = b.getArrayAttr(items);
  auto send = [&](Value rows, Value toRank, Value fromRank, ArrayAttr over) -> Value {
    return comm::AllToAllOp::create(b, loc, flat, rows, toRank, fromRank, ArrayAttr(), over);
  };

  Value routed = RouteOp::create(b, loc, bags, ids, list, axes);
  Value received = comm::AllToAllOp::create(b, loc, bags, routed, Value(), Value(), list, axes);
  auto travel = ExchangeCountsOp::create(b, loc, counts, counts, routed, received, list, axes);
  Value rows = LookupServedOp::create(b, loc, flat, received, tables.getArrayRef(), list, axes, inNode);
  if (inNode) {
    auto steps =
        NodeCountsOp::create(b, loc, counts, counts, counts, counts, travel.getToAsker(), travel.getFromOwner(), axes);
    rows = send(rows, steps.getInsideSend(), steps.getInsideReceive(), b.getStrArrayAttr({"shard"}));
    rows = SumInNodeOp::create(b, loc, flat, rows, received, list, axes);
    rows = send(rows, steps.getAcrossSend(), steps.getAcrossReceive(), b.getStrArrayAttr({"node"}));
  } else {
    rows = send(rows, travel.getToAsker(), travel.getFromOwner(), axes);
  }
  return CombineSourcesOp::create(b, loc, pooled, rows, routed, ids, list, axes, inNode);
}
