// Rows copied from one stride to another; a thread has four floats, a block's width apart.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static void copyFloat(KernelBuilder &b, Value unit) {
  auto type = layout::CopyEntry::type(b.getContext());
  Value entry = entryOf(b, type, b.argument(0), b.argument(1), unit);
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  Value place = b.sub(unit, field(layout::CopyEntry::first)), dim = field(layout::CopyEntry::dim);
  Value row = arith::DivUIOp::create(b, place, dim), column = b.sub(place, b.mul(row, dim));
  Value from = b.add(b.mul(row, field(layout::CopyEntry::fromStride)), column);
  Value to = b.add(b.mul(row, field(layout::CopyEntry::toStride)), column);
  Value x = b.load(b.getF32Type(), field(layout::CopyEntry::from), from, Memory::constant);
  b.store(x, field(layout::CopyEntry::to), to);
}

LLVM::GlobalOp GpuKernels::copyRows() {
  return get("copy_rows", {}, "pl", 256, [&](KernelBuilder &b) {
    constexpr int64_t each = 4;
    b.setUnits(each * b.threads);
    auto type = layout::CopyEntry::type(b.getContext());
    Value first = b.add(b.mul(b.block(), b.i64(each * b.threads)), b.thread());
    for (int64_t i = 0; i < each; ++i) {
      Value unit = b.add(first, b.i64(i * b.threads));
      b.ifThen(hasUnit(b, type, b.argument(0), b.argument(1), unit), [&] { copyFloat(b, unit); });
    }
  });
}
