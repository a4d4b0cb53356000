// Sums of row gradients that ranks exchange: out[s, :] = sum of weight[k] * gradient[k] over segment s.
#include "codegen/CPU/kernels/Segments.h"

using namespace mlir;
using namespace sparsec::codegen;

Segments::Segments(KernelBuilder &b, int64_t dim) : b(b), dim(dim) {
  auto type = layout::Segments::type(b.getContext());
  auto pointer = [&](int32_t field) { return b.pointerField(b.argument, type, field); };
  segments = b.field(b.getI64Type(), b.argument, type, layout::Segments::segments);
  rows = pointer(layout::Segments::rows);
  start = pointer(layout::Segments::start);
  gradient = pointer(layout::Segments::gradient);
  weight = pointer(layout::Segments::weight);
  out = pointer(layout::Segments::out);
  field = pointer(layout::Segments::field);
  lr = b.field(b.getF32Type(), b.argument, type, layout::Segments::lr);
  scale = b.field(b.getF32Type(), b.argument, type, layout::Segments::scale);
  step = b.field(b.getI64Type(), b.argument, type, layout::Segments::step);
}

SmallVector<Value> Segments::sum(const Columns &columns, Value column, Value from, Value to, Value last) {
  auto place = [&](Value k) { return b.at(b.load(b.pointer(), gradient, k), b.getF32Type(), column); };
  auto occurrences = [&](bool weighted) {
    return b.loop(from, to, columns.zeros(), [&](Value k, ValueRange before) {
      Value ahead = b.minimum(b.add(k, b.i64(rowsAhead(dim))), last);
      b.prefetch(place(ahead), columns.width, dim % 16 == 0 || 16 % dim == 0, /*write=*/false);
      Value factor = weighted ? columns.spread(b.load(b.getF32Type(), weight, k)) : Value();
      SmallVector<Value> after;
      for (auto [sum, g] : llvm::zip(before, columns.load(place(k))))
        after.push_back(weighted ? math::FmaOp::create(b, factor, g, sum).getResult()
                                 : arith::AddFOp::create(b, sum, g).getResult());
      return after;
    });
  };
  SmallVector<Type> types(columns.size(), columns.type());
  return b.ifElse(
      b.isNull(weight), types, [&] { return occurrences(false); }, [&] { return occurrences(true); });
}

LLVM::LLVMFuncOp Kernels::segmentSum(int64_t dim) {
  return get("segment_sum_d" + std::to_string(dim), {}, [&](KernelBuilder &b) {
    Segments of(b, dim);
    Value last = b.sub(b.loadI64(of.start, b.end), b.i64(1));
    b.loop(b.begin, b.end, [&](Value s) {
      Value from = b.loadI64(of.start, s), to = b.loadI64(of.start, b.add(s, b.i64(1)));
      Value result = b.row(of.out, dim, s);
      forEachBlock(b, dim, blockColumns, [&](const Columns &columns, Value column) {
        columns.store(of.sum(columns, column, from, to, last), b.at(result, b.getF32Type(), column));
      });
    });
  });
}
