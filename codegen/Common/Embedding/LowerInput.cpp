// From an input entry to the entry it serves: pointers and sizes in the runtime's frame, one word each.
#include "codegen/Common/Embedding/Lowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static Value frame(ImplicitLocOpBuilder &b, size_t words) {
  RuntimeCalls calls(b);
  return calls.callChecked("sparsec_frame", calls.pointer(), {calls.constant64(words)});
}

static Results lowerHandOver(EmbeddingLowering &, ImplicitLocOpBuilder &b, rec::HandOverOp,
                             rec::HandOverOp::Adaptor in) {
  if (in.getValues().empty())
    return SmallVector<Value>();
  RuntimeCalls calls(b);
  Value words = frame(b, in.getValues().size());
  for (auto [i, value] : llvm::enumerate(in.getValues()))
    calls.store(value.getType().isIndex() ? calls.asI64(value) : value, words, b.getI64Type(), {int32_t(i)});
  return SmallVector<Value>();
}

static Results lowerTakeOver(EmbeddingLowering &, ImplicitLocOpBuilder &b, rec::TakeOverOp op,
                             rec::TakeOverOp::Adaptor) {
  RuntimeCalls calls(b);
  Value words = frame(b, op.getNumResults());
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
    bool size = type.isIndex();
    Value word = calls.load(size ? b.getI64Type() : calls.pointer(), words, b.getI64Type(), {int32_t(i)});
    values.push_back(size ? calls.asIndex(word) : word);
  }
  return values;
}

void codegen::addInputLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::HandOverOp>(lowerHandOver);
  patterns.add<rec::TakeOverOp>(lowerTakeOver);
}
