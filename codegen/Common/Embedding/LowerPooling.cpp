// Pooling of rows that are here, and the scale of bags.
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static Results lowerBagScale(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::BagScaleOp op,
                             rec::BagScaleOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value bags = bagsOf(b, op.getIds(), in.getIds()), out = bufferFor(b, op.getScale(), bags);
  l.kernels.bagScale(b, in.getIds(), bags, calls.address(out));
  ExpectedBags expected = expectedBags(op.getIds());
  setWorkOfLast(b, {{}, expected.bags * (8 + 8 + 4), expected.bags, 0, 1}); // offset, count, scale
  return SmallVector<Value>{calls.asTensor(out)};
}

static int64_t widthOf(Value matrix) { return cast<RankedTensorType>(matrix.getType()).getDimSize(1); }

static Results lowerPoolRows(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::PoolRowsOp op,
                             rec::PoolRowsOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value bags = bagsOf(b, op.getAt(), in.getAt()), out = bufferFor(b, op.getPooled(), bags);
  l.kernels.poolRows(b, widthOf(op.getRows()), op.getPooling() == rec::Pooling::Max, calls.address(in.getRows()),
                     in.getAt(), bags, calls.address(out));
  setWorkOfLast(b, lookupWork({}, widthOf(op.getRows()), expectedBags(op.getAt())));
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerPoolRowsGrad(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::PoolRowsGradOp op,
                                 rec::PoolRowsGradOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value rows = tensor::DimOp::create(b, in.getRows(), 0), out = bufferFor(b, op.getResult(), rows);
  l.kernels.poolRowsGrad(b, widthOf(op.getRows()), op.getPooling() == rec::Pooling::Max,
                         calls.address(in.getGradient()), calls.address(in.getRows()), in.getAt(), rows,
                         calls.address(out));
  ExpectedBags at = expectedBags(op.getAt());
  double width = double(widthOf(op.getRows())), floats = (at.bags + 2 * at.ids) * width;
  setWorkOfLast(b, {{}, 4 * floats + 8 * (at.bags + at.ids), at.ids * width, 0, 1});
  return SmallVector<Value>{calls.asTensor(out)};
}

void codegen::addPoolingLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::BagScaleOp>(lowerBagScale);
  patterns.add<rec::PoolRowsOp>(lowerPoolRows);
  patterns.add<rec::PoolRowsGradOp>(lowerPoolRowsGrad);
}
