// What makes a mean of a sum: 1 / max(original count, 1) of each bag, or 1 / sum of its weights, 0 where that is 0.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static void scaleBag(KernelBuilder &b, Value bag) {
  Value offsets = b.argument(0), weights = b.argument(1), counts = b.argument(2);
  Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
  Type f32 = b.getF32Type();
  auto inverse = [&](Value x) -> Value { return arith::DivFOp::create(b, b.f32(1), x); };
  auto byWeights = [&] {
    Value sum = b.loop(from, to, 1, b.f32(0), [&](Value k, ValueRange before) {
                   Value weight = b.load(f32, weights, k, Memory::constant);
                   return KernelBuilder::Values{arith::AddFOp::create(b, before.front(), weight)};
                 }).front();
    Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, b.f32(0));
    return KernelBuilder::Values{b.select(none, b.f32(0), inverse(sum))};
  };
  auto byCount = [&] {
    auto length = [&] { return KernelBuilder::Values{b.sub(to, from)}; };
    auto original = [&] { return KernelBuilder::Values{b.loadI64(counts, bag)}; };
    Value count = b.ifElse(b.isNull(counts), b.getI64Type(), length, original).front();
    return KernelBuilder::Values{inverse(arith::SIToFPOp::create(b, f32, b.maximum(count, b.i64(1))))};
  };
  b.store(b.ifElse(b.isNull(weights), f32, byCount, byWeights).front(), b.argument(4), bag);
}

LLVM::GlobalOp GpuKernels::bagScale() {
  return get("bag_scale", {}, "ppplp", 128, [&](KernelBuilder &b) {
    b.setUnits(b.threads);
    Value bag = b.add(b.mul(b.block(), b.i64(b.threads)), b.thread());
    b.ifThen(b.less(bag, b.argument(3)), [&] { scaleBag(b, bag); });
  });
}
