// The dot interaction and its gradient: samples in parallel.
#include "codegen/CPU/Lowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct Shape {
  int64_t inputs, dim;
  explicit Shape(ValueRange matrices)
      : inputs(matrices.size()), dim(cast<RankedTensorType>(matrices.front().getType()).getDimSize(1)) {}
  /// Samples worth a thread: some ten microseconds.
  int64_t grain() const { return 1 + (int64_t(1) << 18) / (inputs * inputs * dim); }
};
} // namespace

/// Writes addresses into array `field` of the kernel's argument.
static void storeAddresses(ImplicitLocOpBuilder &b, Value argument, LLVM::LLVMStructType type, int32_t field,
                           ValueRange matrices) {
  RuntimeCalls calls(b);
  for (auto [i, matrix] : llvm::enumerate(matrices))
    calls.store(calls.address(matrix), argument, type, {0, field, int32_t(i)});
}

static Results lowerDotInteraction(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionOp op,
                                   rec::DotInteractionOp::Adaptor in) {
  RuntimeCalls calls(b);
  Shape shape(op.getInputs());
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0), out = bufferFor(b, op.getPairs(), samples);
  auto type = DotInteractionArgument::type(b.getContext(), shape.inputs);
  Value argument = calls.onStack(type, 1);
  calls.store(calls.address(out), argument, type, {0, DotInteractionArgument::out});
  storeAddresses(b, argument, type, DotInteractionArgument::inputs, in.getInputs());
  parallel(b, l.kernels.dotInteraction(shape.inputs, shape.dim, op.getSelf()), argument, samples, shape.grain());
  return SmallVector<Value>{calls.asTensor(out)};
}

static Results lowerDotInteractionGrad(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::DotInteractionGradOp op,
                                       rec::DotInteractionGradOp::Adaptor in) {
  RuntimeCalls calls(b);
  Shape shape(op.getInputs());
  Value samples = tensor::DimOp::create(b, in.getInputs().front(), 0);
  auto type = DotInteractionGradArgument::type(b.getContext(), shape.inputs);
  Value argument = calls.onStack(type, 1);
  SmallVector<Value> buffers, results;
  for (Value result : op.getResults())
    buffers.push_back(bufferFor(b, result, samples));
  calls.store(calls.address(in.getGradient()), argument, type, {0, DotInteractionGradArgument::gradient});
  storeAddresses(b, argument, type, DotInteractionGradArgument::inputs, in.getInputs());
  storeAddresses(b, argument, type, DotInteractionGradArgument::results, buffers);
  parallel(b, l.kernels.dotInteractionGrad(shape.inputs, shape.dim, op.getSelf()), argument, samples, shape.grain());
  for (Value buffer : buffers)
    results.push_back(calls.asTensor(buffer));
  return results;
}

void codegen::addInteractionLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::DotInteractionOp>(lowerDotInteraction);
  patterns.add<rec::DotInteractionGradOp>(lowerDotInteractionGrad);
}
