// Bags of rows that are here: the component-wise maximum, or the weighted sum; an empty bag is zero.
#include "codegen/CPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMStructType PoolRowsArgument::type(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, pointer});
}

namespace {

struct PoolRows {
  KernelBuilder &b;
  int64_t dim;
  Value rows, out, offsets, places, weights, counts;

  PoolRows(KernelBuilder &b, int64_t dim) : b(b), dim(dim) {
    auto type = PoolRowsArgument::type(b.getContext()), jagged = layout::Jagged::type(b.getContext());
    Value at = b.pointerField(b.argument, type, PoolRowsArgument::at);
    rows = b.pointerField(b.argument, type, PoolRowsArgument::rows);
    out = b.pointerField(b.argument, type, PoolRowsArgument::out);
    offsets = b.pointerField(at, jagged, layout::Jagged::offsets);
    places = b.pointerField(at, jagged, layout::Jagged::values);
    weights = b.pointerField(at, jagged, layout::Jagged::weights);
    counts = b.pointerField(at, jagged, layout::Jagged::counts);
  }

  SmallVector<Value> row(const Columns &columns, Value column, Value position) {
    return columns.load(b.at(b.row(rows, dim, b.loadI64(places, position)), b.getF32Type(), column));
  }

  SmallVector<Value> sum(const Columns &columns, Value column, Value from, Value to) {
    auto occurrences = [&](bool weighted) {
      return b.loop(from, to, columns.zeros(), [&](Value k, ValueRange before) {
        Value weight = weighted ? columns.spread(b.load(b.getF32Type(), weights, k)) : Value();
        SmallVector<Value> after;
        for (auto [x, y] : llvm::zip(before, row(columns, column, k)))
          after.push_back(weighted ? math::FmaOp::create(b, weight, y, x).getResult()
                                   : arith::AddFOp::create(b, x, y).getResult());
        return after;
      });
    };
    SmallVector<Type> types(columns.size(), columns.type());
    return b.ifElse(
        b.isNull(weights), types, [&] { return occurrences(false); }, [&] { return occurrences(true); });
  }

  SmallVector<Value> larger(ValueRange kept, ValueRange other) {
    SmallVector<Value> result;
    for (auto [x, y] : llvm::zip(kept, other)) {
      Value wins = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, y, x);
      result.push_back(arith::SelectOp::create(b, wins, y, x));
    }
    return result;
  }

  SmallVector<Value> maximum(const Columns &columns, Value column, Value bag, Value from, Value to) {
    SmallVector<Type> types(columns.size(), columns.type());
    auto nonEmpty = [&] {
      SmallVector<Value> most =
          b.loop(b.add(from, b.i64(1)), to, row(columns, column, from),
                 [&](Value k, ValueRange before) { return larger(before, row(columns, column, k)); });
      // Ids of policy `zero` have left the bag: a zero row takes part.
      Value zeros = b.ifElse(
                         b.isNull(counts), b.getI1Type(), [&] { return SmallVector<Value>{no()}; },
                         [&] {
                           return SmallVector<Value>{
                               b.compare(arith::CmpIPredicate::sgt, b.loadI64(counts, bag), b.sub(to, from))};
                         })
                        .front();
      return b.ifElse(
          zeros, types, [&] { return larger(most, columns.zeros()); }, [&] { return most; });
    };
    Value any = b.compare(arith::CmpIPredicate::slt, from, to);
    return b.ifElse(any, types, nonEmpty, [&] { return columns.zeros(); });
  }
  Value no() { return arith::ConstantOp::create(b, b.getBoolAttr(false)); }
};

} // namespace

LLVM::LLVMFuncOp Kernels::poolRows(int64_t dim, bool max) {
  std::string name = std::string(max ? "pool_max_d" : "pool_sum_d") + std::to_string(dim);
  return get(name, {}, [&](KernelBuilder &b) {
    PoolRows pool(b, dim);
    b.loop(b.begin, b.end, [&](Value bag) {
      Value from = b.loadI64(pool.offsets, bag), to = b.loadI64(pool.offsets, b.add(bag, b.i64(1)));
      Value result = b.row(pool.out, dim, bag);
      forEachBlock(b, dim, blockColumns, [&](const Columns &columns, Value column) {
        columns.store(max ? pool.maximum(columns, column, bag, from, to) : pool.sum(columns, column, from, to),
                      b.at(result, b.getF32Type(), column));
      });
    });
  });
}
