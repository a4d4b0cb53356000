// Pooling of rows that are here, and the scale of bags.
#include "codegen/CPU/AbiTypes.h"
#include "codegen/CPU/Lowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// A struct on the stack with these fields.
static Value argument(ImplicitLocOpBuilder &b, LLVM::LLVMStructType type, ArrayRef<Value> fields) {
  RuntimeCalls calls(b);
  Value place = calls.onStack(type, 1);
  for (auto [i, field] : llvm::enumerate(fields))
    calls.store(field, place, type, {0, int32_t(i)});
  return place;
}

static Results lowerBagScale(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::BagScaleOp op,
                             rec::BagScaleOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value bags = bagsOf(b, op.getIds(), in.getIds()), out = bufferFor(b, op.getScale(), bags);
  Value fields = argument(b, BagScaleArgument::type(b.getContext()), {in.getIds(), calls.address(out)});
  parallel(b, l.kernels.bagScale(), fields, bags, /*grain=*/4096);
  return SmallVector<Value>{calls.asTensor(out)};
}

static int64_t widthOf(Value matrix) { return cast<RankedTensorType>(matrix.getType()).getDimSize(1); }

static Results lowerPoolRows(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::PoolRowsOp op,
                             rec::PoolRowsOp::Adaptor in) {
  RuntimeCalls calls(b);
  int64_t dim = widthOf(op.getRows());
  Value bags = bagsOf(b, op.getAt(), in.getAt()), out = bufferFor(b, op.getPooled(), bags);
  Value fields = argument(b, PoolRowsArgument::type(b.getContext()),
                          {calls.address(in.getRows()), in.getAt(), calls.address(out)});
  parallel(b, l.kernels.poolRows(dim, op.getPooling() == rec::Pooling::Max), fields, bags, 1 + 4096 / dim);
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerPoolRowsGrad(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::PoolRowsGradOp op,
                                 rec::PoolRowsGradOp::Adaptor in) {
  RuntimeCalls calls(b);
  int64_t dim = widthOf(op.getRows());
  Value rows = tensor::DimOp::create(b, in.getRows(), 0), out = bufferFor(b, op.getResult(), rows);
  Value fields = argument(b, PoolRowsGradArgument::type(b.getContext()),
                          {calls.address(in.getGradient()), calls.address(in.getRows()), in.getAt(), calls.address(out),
                           calls.asI64(rows)});
  parallel(b, l.kernels.poolRowsGrad(dim, op.getPooling() == rec::Pooling::Max), fields,
           calls.constant64(poolRowsGradBlocks(dim)), /*grain=*/1);
  return SmallVector<Value>{calls.asTensor(out)};
}

void codegen::addPoolingLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::BagScaleOp>(lowerBagScale);
  patterns.add<rec::PoolRowsOp>(lowerPoolRows);
  patterns.add<rec::PoolRowsGradOp>(lowerPoolRowsGrad);
}
