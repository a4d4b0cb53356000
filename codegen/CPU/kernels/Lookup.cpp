// Sum pooling: out[bag, :] = sum over the bag of weight * table[value - row0, :], in the order of positions.
//
// Bound by memory: a row accumulator stays in registers, and the rows of the next ids, of later bags too, are
// prefetched while one is added.
#include "codegen/CPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;

namespace {

struct Lookup {
  KernelBuilder &b;
  int64_t dim;
  Value offsets, values, weights, table, out, last;

  Lookup(KernelBuilder &b, int64_t dim) : b(b), dim(dim) {
    auto type = layout::Lookup::type(b.getContext());
    auto pointer = [&](int32_t field) { return b.pointerField(b.argument, type, field); };
    offsets = pointer(layout::Lookup::offsets);
    values = pointer(layout::Lookup::values);
    weights = pointer(layout::Lookup::weights);
    Value row0 = b.field(b.getI64Type(), b.argument, type, layout::Lookup::row0);
    table = b.row(pointer(layout::Lookup::table), dim, b.sub(b.i64(0), row0)); // where global row 0 would be
    out = pointer(layout::Lookup::out);
    last = b.sub(b.loadI64(offsets, b.end), b.i64(1)); // the last id of this range
  }

  Value rowOf(Value position) { return b.row(table, dim, b.loadI64(values, position)); }

  void prefetch(Value position, Value column, int64_t width) {
    b.prefetch(b.at(rowOf(position), b.getF32Type(), column), width, dim % 16 == 0 || 16 % dim == 0, /*write=*/false);
  }

  void bags(bool weighted) {
    Value first = b.loadI64(offsets, b.begin);
    b.loop(first, b.minimum(b.add(first, b.i64(rowsAhead(dim))), last),
           [&](Value position) { prefetch(position, b.i64(0), std::min(dim, blockColumns)); });
    b.loop(b.begin, b.end, [&](Value bag) {
      Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
      Value result = b.row(out, dim, bag);
      forEachBlock(b, dim, blockColumns, [&](const Columns &columns, Value column) {
        SmallVector<Value> sum = b.loop(from, to, columns.zeros(), [&](Value position, ValueRange sum) {
          prefetch(b.minimum(b.add(position, b.i64(rowsAhead(dim))), last), column, columns.width);
          return add(columns, position, column, sum, weighted);
        });
        columns.store(sum, b.at(result, b.getF32Type(), column));
      });
    });
  }

  SmallVector<Value> add(const Columns &columns, Value position, Value column, ValueRange sum, bool weighted) {
    SmallVector<Value> row = columns.load(b.at(rowOf(position), b.getF32Type(), column)), result;
    Value weight = weighted ? columns.spread(b.load(b.getF32Type(), weights, position)) : Value();
    for (auto [before, value] : llvm::zip(sum, row))
      result.push_back(weighted ? math::FmaOp::create(b, weight, value, before).getResult()
                                : arith::AddFOp::create(b, before, value).getResult());
    return result;
  }
};

} // namespace

LLVM::LLVMFuncOp Kernels::lookup(int64_t dim, bool weighted) {
  std::string name = "lookup_sum_d" + std::to_string(dim) + (weighted ? "_weighted" : "");
  return get(name, {}, [&](KernelBuilder &b) {
    Lookup lookup(b, dim);
    if (!weighted)
      return lookup.bags(false);
    auto bags = [&](bool weighted) {
      return [&lookup, weighted] {
        lookup.bags(weighted);
        return SmallVector<Value>();
      };
    };
    b.ifElse(b.isNull(lookup.weights), {}, bags(false), bags(true));
  });
}
