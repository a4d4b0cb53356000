// The step inside a node of rows that go back in two: its counts, sums of partial sums, and their adjoint.
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// Ranks of a node.
static int64_t shardsOf(EmbeddingLowering &l, ImplicitLocOpBuilder &b) { return l.ranks(b.getStrArrayAttr({"shard"})); }

static Results lowerNodeCounts(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::NodeCountsOp op,
                               rec::NodeCountsOp::Adaptor in) {
  RuntimeCalls calls(b);
  int64_t shards = shardsOf(l, b), nodes = l.ranks(op.getAxes()) / shards;
  int64_t ranks[] = {shards, shards, nodes, nodes};
  SmallVector<Value> pointers, results;
  for (auto [result, n] : llvm::zip(op.getResults(), ranks))
    pointers.push_back(calls.onStack(b.getI64Type(), n));
  SmallVector<Value> given{calls.axes(op.getAxes()), calls.address(in.getToAsker()), calls.address(in.getFromOwner())};
  calls.check("sparsec_node_counts", with(given, pointers));
  for (auto [result, pointer, n] : llvm::zip(op.getResults(), pointers, ranks))
    results.push_back(countsAt(b, pointer, result, n));
  return results;
}

static Results lowerSumInNode(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::SumInNodeOp op,
                              rec::SumInNodeOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto arguments = exchangeArguments(l, b, op, op.getAxes(), op.getReceived());
  if (failed(arguments))
    return failure();
  Value shards = arith::ConstantIndexOp::create(b, shardsOf(l, b));
  Value out = bufferFor(b, op.getSums(), arith::DivUIOp::create(b, tensor::DimOp::create(b, in.getRows(), 0), shards));
  auto call = calls.check("sparsec_sum_in_node",
                          with(*arguments, {in.getReceived(), calls.address(in.getRows()), calls.address(out)}));
  rec::RouteOp route = routeOf(op.getReceived());
  setWork(call, worksOf(route, [&](rec::ItemAttr item) {
            int64_t dim = l.table(item.getTable()).getPart(item.getPart()).getDim(), owners = shardsOf(l, b);
            double bags = expectedServed(l, route, item).bags / double(owners);
            return combineWork(l.kernels.combine(dim), dim, bags, double(owners));
          }));
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerCopyInNode(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::CopyInNodeOp op,
                               rec::CopyInNodeOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value shards = arith::ConstantIndexOp::create(b, shardsOf(l, b));
  Value floats = tensor::DimOp::create(b, in.getGradient(), 0);
  Value out = bufferFor(b, op.getRows(), arith::MulIOp::create(b, floats, shards));
  auto call =
      calls.check("sparsec_copy_in_node", {calls.address(in.getGradient()), calls.asI64(floats), calls.address(out)});
  setWork(call, copyWork(expectedFloats(l, op.getRows()), /*items=*/1));
  return SmallVector<Value>{calls.asTensor(out)};
}

void codegen::addInNodeLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::NodeCountsOp>(lowerNodeCounts);
  patterns.add<rec::SumInNodeOp>(lowerSumInNode);
  patterns.add<rec::CopyInNodeOp>(lowerCopyInNode);
}
