// Gradient of pooled rows. Bags share rows, so threads divide the columns: each adds up its own, in the order of bags.
#include "codegen/CPU/kernels/KernelBuilder.h"
#include <numeric>

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMStructType PoolRowsGradArgument::type(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, pointer, pointer, i64});
}

int64_t sparsec::codegen::poolRowsGradBlocks(int64_t dim) {
  int64_t lanes = Columns::lanesOf(dim);
  return (dim + lanes - 1) / lanes;
}

namespace {

/// One block of columns: a vector whose lanes beyond the row are masked.
struct PoolRowsGrad {
  KernelBuilder &b;
  int64_t dim, lanes;
  VectorType floats, positions, flags;
  Value gradient, rows, out, count, bags, offsets, places, weights, counts;
  Value column, active, zero;

  PoolRowsGrad(KernelBuilder &b, int64_t dim)
      : b(b), dim(dim), lanes(Columns::lanesOf(dim)), floats(VectorType::get({lanes}, b.getF32Type())),
        positions(VectorType::get({lanes}, b.getI64Type())), flags(VectorType::get({lanes}, b.getI1Type())) {
    auto type = PoolRowsGradArgument::type(b.getContext());
    auto jagged = layout::Jagged::type(b.getContext());
    gradient = b.pointerField(b.argument, type, PoolRowsGradArgument::gradient);
    rows = b.pointerField(b.argument, type, PoolRowsGradArgument::rows);
    out = b.pointerField(b.argument, type, PoolRowsGradArgument::out);
    count = b.field(b.getI64Type(), b.argument, type, PoolRowsGradArgument::count);
    Value at = b.pointerField(b.argument, type, PoolRowsGradArgument::at);
    bags = b.field(b.getI64Type(), at, jagged, layout::Jagged::bags);
    offsets = b.pointerField(at, jagged, layout::Jagged::offsets);
    places = b.pointerField(at, jagged, layout::Jagged::values);
    weights = b.pointerField(at, jagged, layout::Jagged::weights);
    counts = b.pointerField(at, jagged, layout::Jagged::counts);
    zero = arith::ConstantOp::create(b, floats, DenseElementsAttr::get(floats, 0.0f));
  }

  void openBlock(Value block) {
    column = b.mul(block, b.i64(lanes));
    SmallVector<int64_t> lane(lanes);
    std::iota(lane.begin(), lane.end(), 0);
    Value numbers = arith::ConstantOp::create(b, positions, DenseElementsAttr::get(positions, ArrayRef(lane)));
    active = b.compare(arith::CmpIPredicate::slt, numbers, spread(b.sub(b.i64(dim), column)));
  }

  Value spread(Value position) { return vector::BroadcastOp::create(b, positions, position); }
  Value place(Value base, Value row) { return b.at(b.row(base, dim, row), b.getF32Type(), column); }
  Value load(Value base, Value row) {
    return LLVM::MaskedLoadOp::create(b, floats, place(base, row), active, zero, b.getI32IntegerAttr(4));
  }
  void store(Value value, Value base, Value row) {
    LLVM::MaskedStoreOp::create(b, value, place(base, row), active, b.getI32IntegerAttr(4));
  }
  void addTo(Value row, Value g) { store(arith::AddFOp::create(b, load(out, row), g), out, row); }

  void sum(Value g, Value from, Value to) {
    b.loop(from, to, [&](Value k) {
      Value weight = b.ifElse(
                          b.isNull(weights), b.getF32Type(), [&] { return SmallVector<Value>{b.f32(1)}; },
                          [&] { return SmallVector<Value>{b.load(b.getF32Type(), weights, k)}; })
                         .front();
      Value factor = vector::BroadcastOp::create(b, floats, weight);
      addTo(b.loadI64(places, k), arith::MulFOp::create(b, factor, g));
    });
  }

  /// For each lane the position whose row won; -1 where it was a zero row. As in pool_rows, ties go to the earliest.
  Value winners(Value bag, Value from, Value to) {
    SmallVector<Value> best =
        b.loop(b.add(from, b.i64(1)), to, ValueRange{load(rows, b.loadI64(places, from)), spread(from)},
               [&](Value k, ValueRange before) {
                 Value row = load(rows, b.loadI64(places, k));
                 Value wins = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, row, before[0]);
                 return SmallVector<Value>{arith::SelectOp::create(b, wins, row, before[0]),
                                           arith::SelectOp::create(b, wins, spread(k), before[1])};
               });
    return b
        .ifElse(
            b.isNull(counts), positions, [&] { return SmallVector<Value>{best[1]}; },
            [&] {
              Value zeros = b.compare(arith::CmpIPredicate::sgt, b.loadI64(counts, bag), b.sub(to, from));
              Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, best[0], zero);
              Value zeroWins = arith::AndIOp::create(b, below, vector::BroadcastOp::create(b, flags, zeros));
              return SmallVector<Value>{arith::SelectOp::create(b, zeroWins, spread(b.i64(-1)), best[1])};
            })
        .front();
  }

  void maximum(Value bag, Value g, Value from, Value to) {
    b.ifElse(
        b.compare(arith::CmpIPredicate::slt, from, to), {},
        [&] {
          Value winner = winners(bag, from, to);
          b.loop(from, to, [&](Value k) {
            Value won = b.compare(arith::CmpIPredicate::eq, winner, spread(k));
            addTo(b.loadI64(places, k), arith::SelectOp::create(b, won, g, zero));
          });
          return SmallVector<Value>();
        },
        [] { return SmallVector<Value>(); });
  }
};

} // namespace

LLVM::LLVMFuncOp Kernels::poolRowsGrad(int64_t dim, bool max) {
  std::string name = std::string(max ? "pool_max_grad_d" : "pool_sum_grad_d") + std::to_string(dim);
  return get(name, {}, [&](KernelBuilder &b) {
    PoolRowsGrad pool(b, dim);
    b.loop(b.begin, b.end, [&](Value block) {
      pool.openBlock(block);
      b.loop(b.i64(0), pool.count, [&](Value row) { pool.store(pool.zero, pool.out, row); });
      b.loop(b.i64(0), pool.bags, [&](Value bag) {
        Value g = pool.load(pool.gradient, bag);
        Value from = b.loadI64(pool.offsets, bag), to = b.loadI64(pool.offsets, b.add(bag, b.i64(1)));
        if (max)
          pool.maximum(bag, g, from, to);
        else
          pool.sum(g, from, to);
      });
    });
  });
}
