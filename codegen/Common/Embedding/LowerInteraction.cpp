// The dot interaction and its gradient.
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static InteractionShape shapeOf(ValueRange matrices, bool self) {
  return {int64_t(matrices.size()), cast<RankedTensorType>(matrices.front().getType()).getDimSize(1), self};
}
static SmallVector<Value> addresses(ImplicitLocOpBuilder &b, ValueRange matrices) {
  return llvm::map_to_vector(matrices, [&](Value matrix) { return RuntimeCalls(b).address(matrix); });
}

/// Forward: inputs and pairs, a product and a sum of `dim` terms a pair. The gradient reads as much, writes the inputs'
/// gradients, and has the pair's gradient times either row.
static Work workOf(Operation *op, const InteractionShape &shape, int64_t pairs, bool gradient) {
  double samples = expectedSamples(op), width = double(shape.inputs * shape.dim), times = gradient ? 2 : 1;
  return {{}, 4 * samples * (times * width + double(pairs)), 2 * times * samples * double(pairs * shape.dim)};
}

static Results lowerDotInteraction(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionOp op,
                                   rec::DotInteractionOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0), out = bufferFor(b, op.getPairs(), samples);
  InteractionShape shape = shapeOf(op.getInputs(), op.getSelf());
  if (failed(l.kernels.dotInteraction(b, shape, addresses(b, in.getInputs()), samples, calls.address(out))))
    return failure();
  setWorkOfLast(b, workOf(op, shape, op.getPairs().getType().getDimSize(1), /*gradient=*/false));
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerDotInteractionGrad(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionGradOp op,
                                       rec::DotInteractionGradOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0);
  SmallVector<Value> buffers, results;
  for (Value result : op.getResults())
    buffers.push_back(bufferFor(b, result, samples));
  InteractionShape shape = shapeOf(op.getInputs(), op.getSelf());
  if (failed(l.kernels.dotInteractionGrad(b, shape, calls.address(in.getGradient()), addresses(b, in.getInputs()),
                                          samples, addresses(b, buffers))))
    return failure();
  setWorkOfLast(b, workOf(op, shape, op.getGradient().getType().getDimSize(1), /*gradient=*/true));
  for (Value buffer : buffers)
    results.push_back(calls.asTensor(buffer));
  return results;
}

void codegen::addInteractionLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::DotInteractionOp>(lowerDotInteraction);
  patterns.add<rec::DotInteractionGradOp>(lowerDotInteractionGrad);
}
