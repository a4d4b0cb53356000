// Ops that move or sum columns and rows.
#include "codegen/Common/DenseLowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static SmallVector<Value> lowerColumnSum(ImplicitLocOpBuilder &b, rec::ColumnSumOp op) {
  Value sums = sumInDouble(b, {op.getX()}, 0, [](ImplicitLocOpBuilder &, ValueRange x) { return x[0]; });
  auto type = tensorType(op.getSum());
  return {elementwise(b, {sums}, type, [](ImplicitLocOpBuilder &ib, ValueRange in) -> Value {
    return arith::TruncFOp::create(ib, ib.getF32Type(), in[0]);
  })};
}

static SmallVector<Value> lowerRowSum(ImplicitLocOpBuilder &b, rec::RowSumOp op) {
  Value sums = sumInDouble(b, {op.getX()}, 1, [](ImplicitLocOpBuilder &, ValueRange x) { return x[0]; });
  auto type = tensorType(op.getSum());
  auto identity = b.getMultiDimIdentityMap(2);
  // The sums are [batch]: read by row to make [batch, 1].
  Value out = emptyLike(b, type, op.getX());
  auto generic = linalg::GenericOp::create(b, TypeRange{type}, ValueRange{sums}, ValueRange{out},
                                           {AffineMap::get(2, 0, b.getAffineDimExpr(0)), identity},
                                           SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
                                           [](OpBuilder &inner, Location loc, ValueRange in) {
                                             ImplicitLocOpBuilder ib(loc, inner);
                                             Value narrow = arith::TruncFOp::create(ib, ib.getF32Type(), in[0]);
                                             linalg::YieldOp::create(ib, narrow);
                                           });
  return {generic.getResult(0)};
}

/// result[i, j] = x[i, column(j)]
static Value gatherColumns(ImplicitLocOpBuilder &b, Value x, RankedTensorType type, AffineExpr column) {
  auto map = AffineMap::get(2, 0, {b.getAffineDimExpr(0), column}, b.getContext());
  return elementwise(b, {x}, type, [](ImplicitLocOpBuilder &, ValueRange in) { return in[0]; }, {map});
}
static SmallVector<Value> lowerBroadcastColumns(ImplicitLocOpBuilder &b, rec::BroadcastColumnsOp op) {
  return {gatherColumns(b, op.getX(), tensorType(op.getY()), b.getAffineConstantExpr(0))};
}
/// A view, not a copy. (A generic with a shifted map would read a wider tensor through a map that looks like identity.)
static SmallVector<Value> lowerSlice(ImplicitLocOpBuilder &b, rec::SliceOp op) {
  OpFoldResult rows = tensor::DimOp::create(b, op.getX(), 0).getResult();
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> begin = {b.getIndexAttr(0), b.getIndexAttr(op.getBegin())};
  SmallVector<OpFoldResult> sizes = {rows, b.getIndexAttr(tensorType(op.getY()).getDimSize(1))};
  return {tensor::ExtractSliceOp::create(b, tensorType(op.getY()), op.getX(), begin, sizes,
                                         SmallVector<OpFoldResult>{one, one})};
}

/// Columns [begin, begin + width) of a buffer.
static Value columnsOf(ImplicitLocOpBuilder &b, Value buffer, int64_t begin, int64_t width) {
  auto type = cast<MemRefType>(buffer.getType());
  OpFoldResult rows = b.getIndexAttr(type.getDimSize(0));
  if (type.isDynamicDim(0))
    rows = memref::DimOp::create(b, buffer, 0).getResult();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return memref::SubViewOp::create(b, buffer, ArrayRef<OpFoldResult>{zero, b.getIndexAttr(begin)},
                                   ArrayRef<OpFoldResult>{rows, b.getIndexAttr(width)},
                                   ArrayRef<OpFoldResult>{one, one});
}
static void copyInto(ImplicitLocOpBuilder &b, Value tensor, Value target) {
  auto type = tensorType(tensor);
  Value source = bufferization::ToBufferOp::create(b, MemRefType::get(type.getShape(), type.getElementType()), tensor,
                                                   /*read_only=*/true);
  auto identity = b.getMultiDimIdentityMap(2);
  linalg::GenericOp::create(
      b, TypeRange{}, ValueRange{source}, ValueRange{target}, {identity, identity},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [](OpBuilder &inner, Location loc, ValueRange in) { linalg::YieldOp::create(inner, loc, in[0]); });
}

static SmallVector<Value> lowerConcat(ImplicitLocOpBuilder &b, rec::ConcatOp op) {
  RuntimeCalls calls(b);
  Value buffer = calls.newBuffer(tensorType(op.getResult()), dynamicExtents(b, op.getInputs()[0]));
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    int64_t width = tensorType(input).getDimSize(1);
    copyInto(b, input, columnsOf(b, buffer, begin, width));
    begin += width;
  }
  return {calls.asTensor(buffer)};
}

static SmallVector<Value> lowerPadColumns(ImplicitLocOpBuilder &b, rec::PadColumnsOp op) {
  RuntimeCalls calls(b);
  int64_t begin = op.getBegin(), width = tensorType(op.getX()).getDimSize(1), all = tensorType(op.getY()).getDimSize(1);
  Value buffer = calls.newBuffer(tensorType(op.getY()), dynamicExtents(b, op.getX()));
  auto clear = [&](int64_t from, int64_t to) {
    if (from < to)
      linalg::FillOp::create(b, ValueRange{number(b, 0, b.getF32Type())},
                             ValueRange{columnsOf(b, buffer, from, to - from)});
  };
  clear(0, begin);
  copyInto(b, op.getX(), columnsOf(b, buffer, begin, width));
  clear(begin + width, all);
  return {calls.asTensor(buffer)};
}

void codegen::populateColumnLowerings(RewritePatternSet &patterns) {
  addLowering(patterns, lowerColumnSum);
  addLowering(patterns, lowerRowSum);
  addLowering(patterns, lowerBroadcastColumns);
  addLowering(patterns, lowerSlice);
  addLowering(patterns, lowerConcat);
  addLowering(patterns, lowerPadColumns);
}
