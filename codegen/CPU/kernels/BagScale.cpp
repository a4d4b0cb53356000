// What makes a mean of a sum: 1 / max(original count, 1) of each bag, or 1 / sum of its weights, 0 where that is 0.
#include "codegen/CPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMStructType BagScaleArgument::type(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer});
}

LLVM::LLVMFuncOp Kernels::bagScale() {
  return get("bag_scale", {}, [&](KernelBuilder &b) {
    auto type = BagScaleArgument::type(b.getContext()), jagged = layout::Jagged::type(b.getContext());
    Value bags = b.pointerField(b.argument, type, BagScaleArgument::bags);
    Value out = b.pointerField(b.argument, type, BagScaleArgument::out);
    Value offsets = b.pointerField(bags, jagged, layout::Jagged::offsets);
    Value weights = b.pointerField(bags, jagged, layout::Jagged::weights);
    Value counts = b.pointerField(bags, jagged, layout::Jagged::counts);
    Value weighted = arith::XOrIOp::create(b, b.isNull(weights), arith::ConstantOp::create(b, b.getBoolAttr(true)));
    Value counted = arith::XOrIOp::create(b, b.isNull(counts), arith::ConstantOp::create(b, b.getBoolAttr(true)));
    auto f32 = b.getF32Type();
    Value one = b.f32(1), zero = b.f32(0);
    auto inverse = [&](Value x) -> Value { return arith::DivFOp::create(b, one, x); };
    b.loop(b.begin, b.end, [&](Value bag) {
      Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
      auto byWeights = [&]() -> SmallVector<Value> {
        Value sum = b.loop(from, to, zero, [&](Value k, ValueRange before) {
                       return SmallVector<Value>{arith::AddFOp::create(b, before.front(), b.load(f32, weights, k))};
                     }).front();
        Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
        return {arith::SelectOp::create(b, none, zero, inverse(sum))};
      };
      auto byCount = [&]() -> SmallVector<Value> {
        Value count = b.ifElse(
                           counted, b.getI64Type(), [&] { return SmallVector<Value>{b.loadI64(counts, bag)}; },
                           [&] { return SmallVector<Value>{b.sub(to, from)}; })
                          .front();
        Value atLeastOne = arith::MaxSIOp::create(b, count, b.i64(1));
        return {inverse(arith::SIToFPOp::create(b, f32, atLeastOne))};
      };
      b.store(b.ifElse(weighted, f32, byWeights, byCount).front(), out, bag);
    });
  });
}
