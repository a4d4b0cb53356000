// Bags of rows that are here: the component-wise maximum, or the weighted sum; an empty bag is zero. And what each
// occurrence of a row gets of a maximum's gradient: all where it won, else 0. A team of lanes for each bag.
#include "codegen/GPU/kernels/LookupRows.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// A bag of places of rows.
struct Bag {
  KernelBuilder &b;
  const RowTeam &team;
  Value rows, places, counts, bag, from, to;

  Bag(KernelBuilder &b, const RowTeam &team, Value bag, Value rows, Value offsets, Value places, Value counts)
      : b(b), team(team), rows(rows), places(places), counts(counts), bag(bag), from(b.loadI64(offsets, bag)),
        to(b.loadI64(offsets, b.add(bag, b.i64(1)))) {}

  KernelBuilder::Values row(const LaneColumns &columns, Value position) {
    Value row = b.floatAt(rows, b.mul(b.loadI64(places, position), b.i64(team.dim)));
    return columns.load(row, b.isAligned(row, team.width * 4), Memory::constant);
  }

  KernelBuilder::Values sum(const LaneColumns &columns, Value weights) {
    return b.loop(from, to, 1, columns.zeros(), [&](Value k, ValueRange before) {
      auto one = [&] { return KernelBuilder::Values{b.f32(1)}; };
      auto load = [&] { return KernelBuilder::Values{b.load(b.getF32Type(), weights, k, Memory::constant)}; };
      Value weight = columns.spread(b.ifElse(b.isNull(weights), b.getF32Type(), one, load).front());
      KernelBuilder::Values after;
      for (auto [x, y] : llvm::zip(before, row(columns, k)))
        after.push_back(math::FmaOp::create(b, weight, y, x));
      return after;
    });
  }

  Value greater(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y); }
  Type positionsOf(const LaneColumns &columns) {
    Type i32 = b.getI32Type();
    return team.width == 1 ? i32 : Type(VectorType::get({team.width}, i32));
  }
  Value spreadPosition(const LaneColumns &columns, Value k) {
    Value relative = arith::TruncIOp::create(b, b.getI32Type(), b.sub(k, from));
    Type type = positionsOf(columns);
    return team.width == 1 ? relative : vector::BroadcastOp::create(b, cast<VectorType>(type), relative).getResult();
  }

  /// The largest of each column, then which position it is of, counted from the bag's first; ties go to the earliest. A
  /// zero row takes part where ids of policy `zero` have left the bag: position -1. The bag is not empty.
  KernelBuilder::Values largest(const LaneColumns &columns) {
    KernelBuilder::Values start = row(columns, from);
    start.append(columns.pieces, spreadPosition(columns, from));
    KernelBuilder::Values best = b.loop(b.add(from, b.i64(1)), to, 1, start, [&](Value k, ValueRange before) {
      return larger(columns, before, row(columns, k), spreadPosition(columns, k));
    });
    auto no = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(false))}; };
    auto left = [&] { return KernelBuilder::Values{b.less(b.sub(to, from), b.loadI64(counts, bag))}; };
    Value zeros = b.ifElse(b.isNull(counts), b.getI1Type(), no, left).front();
    SmallVector<Type> types(ValueRange(best).getTypes());
    auto withZeros = [&] {
      return larger(columns, best, columns.zeros(), spreadPosition(columns, b.sub(from, b.i64(1))));
    };
    return b.ifElse(zeros, types, withZeros, [&] { return best; });
  }
  KernelBuilder::Values larger(const LaneColumns &columns, ValueRange best, ValueRange other, Value position) {
    KernelBuilder::Values after(best);
    for (int64_t piece = 0; piece < columns.pieces; ++piece) {
      Value wins = greater(other[piece], best[piece]);
      after[piece] = b.select(wins, other[piece], best[piece]);
      after[columns.pieces + piece] = b.select(wins, position, best[columns.pieces + piece]);
    }
    return after;
  }

  KernelBuilder::Values maximum(const LaneColumns &columns) {
    auto any = [&] {
      KernelBuilder::Values best = largest(columns);
      best.resize(columns.pieces);
      return best;
    };
    SmallVector<Type> types(columns.pieces, columns.type());
    return b.ifElse(b.less(from, to), types, any, [&] { return columns.zeros(); });
  }

  void shareGradient(const LaneColumns &columns, Value gradient, Value out) {
    Value row = b.floatAt(gradient, b.mul(bag, b.i64(team.dim)));
    KernelBuilder::Values g = columns.load(row, b.isAligned(row, team.width * 4), Memory::constant);
    KernelBuilder::Values best = largest(columns);
    b.loop(from, to, 1, [&](Value k) {
      Value mine = spreadPosition(columns, k);
      KernelBuilder::Values share;
      for (int64_t piece = 0; piece < columns.pieces; ++piece)
        share.push_back(b.select(b.equal(best[columns.pieces + piece], mine), g[piece], columns.zero()));
      Value place = b.floatAt(out, b.mul(k, b.i64(team.dim)));
      columns.store(share, place, b.isAligned(place, team.width * 4));
    });
  }
};

} // namespace

LLVM::GlobalOp GpuKernels::poolRows(int64_t dim, bool max) {
  std::string name = std::string(max ? "pool_max_d" : "pool_sum_d") + std::to_string(dim);
  return get(name, {}, "ppppplp", 128, [&](KernelBuilder &b) {
    RowTeam team(dim);
    TeamUnit mine(b, team);
    b.setResidentBlocks(fewerResidentBlocks(team));
    b.ifThen(b.less(mine.unit, b.argument(5)), [&] {
      Bag bag(b, team, mine.unit, b.argument(0), b.argument(1), b.argument(2), b.argument(4));
      Value out = b.floatAt(b.argument(6), b.mul(mine.unit, b.i64(dim)));
      forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
        columns.store(max ? bag.maximum(columns) : bag.sum(columns, b.argument(3)), out,
                      b.isAligned(out, team.width * 4));
      });
    });
  });
}

LLVM::GlobalOp GpuKernels::poolMaxGrad(int64_t dim) {
  return get("pool_max_grad_d" + std::to_string(dim), {}, "ppppplp", 128, [&](KernelBuilder &b) {
    RowTeam team(dim);
    TeamUnit mine(b, team);
    b.setResidentBlocks(fewerResidentBlocks(team));
    b.ifThen(b.less(mine.unit, b.argument(5)), [&] {
      Bag bag(b, team, mine.unit, b.argument(1), b.argument(2), b.argument(3), b.argument(4));
      b.ifThen(b.less(bag.from, bag.to), [&] {
        forEachBlock(b, team, mine.lane,
                     [&](const LaneColumns &columns) { bag.shareGradient(columns, b.argument(0), b.argument(6)); });
      });
    });
  });
}
