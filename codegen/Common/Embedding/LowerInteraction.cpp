// The dot interaction and its gradient.
#include "codegen/Common/Embedding/Lowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static InteractionShape shapeOf(ValueRange matrices, bool self) {
  return {int64_t(matrices.size()), cast<RankedTensorType>(matrices.front().getType()).getDimSize(1), self};
}
static SmallVector<Value> addresses(ImplicitLocOpBuilder &b, ValueRange matrices) {
  return llvm::map_to_vector(matrices, [&](Value matrix) { return RuntimeCalls(b).address(matrix); });
}

static Results lowerDotInteraction(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionOp op,
                                   rec::DotInteractionOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0), out = bufferFor(b, op.getPairs(), samples);
  if (failed(l.kernels.dotInteraction(b, shapeOf(op.getInputs(), op.getSelf()), addresses(b, in.getInputs()), samples,
                                      calls.address(out))))
    return failure();
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerDotInteractionGrad(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionGradOp op,
                                       rec::DotInteractionGradOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0);
  SmallVector<Value> buffers, results;
  for (Value result : op.getResults())
    buffers.push_back(bufferFor(b, result, samples));
  if (failed(l.kernels.dotInteractionGrad(b, shapeOf(op.getInputs(), op.getSelf()), calls.address(in.getGradient()),
                                          addresses(b, in.getInputs()), samples, addresses(b, buffers))))
    return failure();
  for (Value buffer : buffers)
    results.push_back(calls.asTensor(buffer));
  return results;
}

void codegen::addInteractionLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::DotInteractionOp>(lowerDotInteraction);
  patterns.add<rec::DotInteractionGradOp>(lowerDotInteractionGrad);
}
