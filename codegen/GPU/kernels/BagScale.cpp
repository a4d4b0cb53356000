// What makes a mean of a sum: 1 / max(original count, 1) of each bag, or 1 / sum of its weights, 0 where that is 0.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Arguments: offsets, weights or null, counts or null, bags, out.
void bagScaleOfThread(KernelBuilder &b) {
  Value offsets = b.argument(0), weights = b.argument(1), counts = b.argument(2), out = b.argument(4);
  Value bag = b.add(b.mul(b.block(), b.i64(b.threads)), b.thread());
  Type f32 = b.getF32Type();
  Value one = b.f32(1), zero = b.f32(0);
  b.ifThen(b.less(bag, b.argument(3)), [&] {
    Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
    auto byLength = [&] { return KernelBuilder::Values{b.sub(to, from)}; };
    auto byCount = [&] { return KernelBuilder::Values{b.loadI64(counts, bag)}; };
    auto ofCount = [&] {
      Value count = b.ifElse(b.isNull(counts), b.getI64Type(), byLength, byCount).front();
      Value atLeastOne = arith::SIToFPOp::create(b, f32, b.maximum(count, b.i64(1)));
      return KernelBuilder::Values{arith::DivFOp::create(b, one, atLeastOne)};
    };
    auto ofWeights = [&] {
      Value sum = b.loop(from, to, 1, zero, [&](Value k, ValueRange before) {
                     Value weight = b.load(f32, weights, k, Memory::constant);
                     return KernelBuilder::Values{arith::AddFOp::create(b, before.front(), weight)};
                   }).front();
      Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
      return KernelBuilder::Values{b.select(none, zero, arith::DivFOp::create(b, one, sum))};
    };
    b.store(b.ifElse(b.isNull(weights), f32, ofCount, ofWeights).front(), out, bag);
  });
  b.setUnits(b.threads);
}

} // namespace

LLVM::GlobalOp GpuKernels::bagScale() { return get("bag_scale", {}, "ppplp", 128, bagScaleOfThread); }
