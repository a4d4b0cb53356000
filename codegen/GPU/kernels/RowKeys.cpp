// Occurrences of rows as (key, place) pairs to sort, with the gradient row and the weight of each; slots behind them
// get a key that stays at the end.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static void writeKey(KernelBuilder &b, Value unit) {
  auto type = layout::Occurrences::type(b.getContext());
  Value entry = entryOf(b, type, b.argument(0), b.argument(1), unit);
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  Value place = b.sub(unit, field(layout::Occurrences::first)), offsets = field(layout::Occurrences::offsets);
  auto each = [&] { return KernelBuilder::Values{place, place}; };
  auto search = [&] {
    Value position = b.add(place, b.loadI64(offsets, b.i64(0)));
    Value bag = b.last(b.i64(0), field(layout::Occurrences::bags), [&](Value bag) {
      return b.compare(arith::CmpIPredicate::sle, b.loadI64(offsets, bag), position);
    });
    return KernelBuilder::Values{position, bag};
  };
  Type i64 = b.getI64Type();
  KernelBuilder::Values at = b.ifElse(b.isNull(offsets), {i64, i64}, each, search);
  Value position = at[0], bag = at[1], weights = field(layout::Occurrences::weights);
  auto one = [&] { return KernelBuilder::Values{b.f32(1)}; };
  auto load = [&] { return KernelBuilder::Values{b.load(b.getF32Type(), weights, position, Memory::constant)}; };
  Value weight = b.ifElse(b.isNull(weights), b.getF32Type(), one, load).front();
  Value row = b.sub(b.loadI64(field(layout::Occurrences::values), position), field(layout::Occurrences::row0));
  Value gradient = b.floatAt(field(layout::Occurrences::gradient), b.mul(bag, field(layout::Occurrences::dim)));
  b.store(b.add(row, field(layout::Occurrences::key)), b.argument(3), unit);
  b.store(gradient, b.argument(5), unit);
  b.store(weight, b.argument(6), unit);
}

LLVM::GlobalOp GpuKernels::rowKeys() {
  return get("row_keys", {}, "pllpppp", 256, [&](KernelBuilder &b) {
    b.setUnits(b.threads);
    Value unit = b.add(b.mul(b.block(), b.i64(b.threads)), b.thread());
    b.ifThen(b.less(unit, b.argument(2)), [&] {
      auto type = layout::Occurrences::type(b.getContext());
      Value list = b.argument(0), n = b.argument(1);
      b.store(arith::TruncIOp::create(b, b.getI32Type(), unit), b.argument(4), unit);
      auto occurrence = [&] {
        writeKey(b, unit);
        return KernelBuilder::Values();
      };
      auto none = [&] {
        b.store(b.field(b.at(list, type, n), type, layout::Occurrences::key), b.argument(3), unit);
        return KernelBuilder::Values();
      };
      b.ifElse(hasUnit(b, type, list, n, unit), {}, occurrence, none);
    });
  });
}
