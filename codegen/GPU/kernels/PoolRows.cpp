// Bags of rows that are here: the component-wise maximum, or the weighted sum; an empty bag is zero. A team of lanes
// for each bag, the rows of some positions in flight, taken in order.
#include "codegen/GPU/kernels/LookupRows.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Arguments: rows, offsets, places, weights or null, counts or null, bags, out.
struct PoolRows {
  KernelBuilder &b;
  RowTeam team;
  Value bag, lane;
  Value rows = b.argument(0), offsets = b.argument(1), places = b.argument(2), weights = b.argument(3),
        counts = b.argument(4);
  Value out = b.floatAt(b.argument(6), b.mul(bag, b.i64(team.dim)));
  Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));

  using Values = KernelBuilder::Values;
  Values row(const LaneColumns &columns, Value position) {
    return columns.load(b.floatAt(rows, b.mul(b.loadI64(places, position), b.i64(team.dim))), Memory::constant);
  }

  /// What `step` makes of `state` and the rows of positions [first, to), one after the other. Behind the last position
  /// it is loaded again and what comes of it is dropped, so short bags have their rows in flight together, too.
  using Step = llvm::function_ref<Values(Value position, ValueRange row, ValueRange state)>;
  Values forEachRow(const LaneColumns &columns, Value first, ValueRange state, Step step) {
    int64_t together = rowsInFlight(columns);
    return b.loop(first, to, together, state, [&](Value position, ValueRange before) {
      Values positions;
      SmallVector<Values> loaded;
      for (int64_t i = 0; i < together; ++i) {
        positions.push_back(b.minimum(b.add(position, b.i64(i)), b.sub(to, b.i64(1))));
        loaded.push_back(row(columns, positions.back()));
      }
      Values now = step(position, loaded[0], before);
      for (int64_t i = 1; i < together; ++i) {
        Value isInside = b.less(b.add(position, b.i64(i)), to);
        for (auto [kept, next] : llvm::zip(now, step(positions[i], loaded[i], now)))
          kept = b.select(isInside, next, kept);
      }
      return now;
    });
  }

  Values sum(const LaneColumns &columns) {
    return forEachRow(columns, from, columns.zeros(), [&](Value position, ValueRange row, ValueRange before) {
      auto one = [&] { return Values{b.f32(1)}; };
      auto own = [&] { return Values{b.load(b.getF32Type(), weights, position, Memory::constant)}; };
      Value weight = columns.spread(b.ifElse(b.isNull(weights), b.getF32Type(), one, own).front());
      Values after;
      for (auto [x, y] : llvm::zip(before, row))
        after.push_back(math::FmaOp::create(b, weight, y, x));
      return after;
    });
  }

  Values larger(ValueRange kept, ValueRange other) {
    Values result;
    for (auto [x, y] : llvm::zip(kept, other)) {
      Value wins = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, y, x);
      result.push_back(b.select(wins, y, x));
    }
    return result;
  }

  Values maximum(const LaneColumns &columns) {
    SmallVector<Type> types(columns.pieces, columns.type());
    auto nonEmpty = [&] {
      Values most = forEachRow(columns, b.add(from, b.i64(1)), row(columns, from),
                               [&](Value, ValueRange row, ValueRange before) { return larger(before, row); });
      // Ids of policy `zero` have left the bag: a zero row takes part.
      return b.ifElse(
          hasZeros(b, counts, bag, b.sub(to, from)), types, [&] { return larger(most, columns.zeros()); },
          [&] { return most; });
    };
    return b.ifElse(b.less(from, to), types, nonEmpty, [&] { return columns.zeros(); });
  }
};

} // namespace

Value device::hasZeros(KernelBuilder &b, Value counts, Value bag, Value length) {
  auto no = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(false))}; };
  auto longer = [&] { return KernelBuilder::Values{b.less(length, b.loadI64(counts, bag))}; };
  return b.ifElse(b.isNull(counts), b.getI1Type(), no, longer).front();
}

LLVM::GlobalOp GpuKernels::poolRows(int64_t dim, bool max) {
  std::string name = std::string(max ? "pool_max_d" : "pool_sum_d") + std::to_string(dim);
  return get(name, {}, "ppppplp", 128, [&](KernelBuilder &b) {
    RowTeam team(dim);
    TeamUnit mine(b, team);
    b.setResidentBlocks(residentBlocks(team, /*weighted=*/true));
    b.ifThen(b.less(mine.unit, b.argument(5)), [&] {
      PoolRows pool{b, team, mine.unit, mine.lane};
      forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
        columns.store(max ? pool.maximum(columns) : pool.sum(columns), pool.out, /*aligned=*/{});
      });
    });
  });
}
