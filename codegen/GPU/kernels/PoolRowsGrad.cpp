// Gradient of pooled rows. A block has 64 rows or more, and looks through the places of all positions for them, a tile
// at a time; what it finds it lists in the order of positions. A team of lanes adds up what is of its own rows, from
// the front of the list: no order of threads shows in the sums, and they are those of a plain loop over the bags.
//
// Costs: places are read count / 64 times, mostly from the second cache, so work grows with positions * rows: 2 * 10^5
// positions of 5 * 10^4 rows are 1.2 GB. A row is added up by one team, about a load's wait for each position, however
// often it occurs. Under `max` the rows of a bag are read again for each of its positions.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

constexpr int64_t threads = 256, each = 8, tile = threads * each; // positions of a thread, and of a block, at once

int64_t rowsOfBlock(const RowTeam &team) { return std::max<int64_t>(64, team.teamsOf(threads)); }

/// Arguments: gradient, rows, offsets, places, weights or null, counts or null, bags, count of rows, out.
struct PoolRowsGrad {
  KernelBuilder &b;
  RowTeam team;
  int64_t blockRows = rowsOfBlock(team), teams = team.teamsOf(threads);
  Value gradient = b.argument(0), rows = b.argument(1), offsets = b.argument(2), places = b.argument(3),
        weights = b.argument(4), counts = b.argument(5), bags = b.argument(6), count = b.argument(7),
        out = b.argument(8);
  Value thread = b.thread(), lane = b.rem(thread, team.lanes), mine = b.div(thread, team.lanes);
  Value firstRow = b.mul(b.block(), b.i64(blockRows));
  Value endRow = b.minimum(count, b.add(firstRow, b.i64(blockRows)));
  // What is found of a tile: row of the block * tile + where in the tile, and the bag.
  Value found = b.shared(tile * 4), foundBag = b.shared(tile * 8);
  Value ofWarps = b.shared(threads / 32 * 4); // how much each warp finds

  using Values = KernelBuilder::Values;
  Value i32(Value x) { return arith::TruncIOp::create(b, b.getI32Type(), x); }
  Value i64(Value x) { return arith::ExtUIOp::create(b, b.getI64Type(), x); }
  Value row(Value base, Value index) { return b.floatAt(base, b.mul(index, b.i64(team.dim))); }

  void clear() {
    b.loop(b.add(firstRow, mine), endRow, teams, [&](Value r) {
      forEachBlock(b, team, lane,
                   [&](const LaneColumns &columns) { columns.store(columns.zeros(), row(out, r), /*aligned=*/{}); });
    });
  }

  /// Lists what positions [first, first + tile) below `end` have of the block's rows; how many.
  Value find(Value first, Value end) {
    Values local; // row of the block; -1: another block's
    Value zero = b.i32(0), none = b.i32(-1), start = b.mul(thread, b.i64(each)), number = zero;
    auto isFound = [&](int64_t i) { return b.compare(arith::CmpIPredicate::sge, local[i], zero); };
    auto addOne = [&](Value count, int64_t i) { return b.add(count, b.select(isFound(i), b.i32(1), zero)); };
    for (int64_t i = 0; i < each; ++i) {
      Value position = b.add(first, b.add(start, b.i64(i)));
      Value place = b.loadI64(places, b.minimum(position, b.sub(end, b.i64(1))));
      Value isHere = b.both(b.compare(arith::CmpIPredicate::sge, place, firstRow), b.less(place, endRow));
      local.push_back(b.select(b.both(isHere, b.less(position, end)), i32(b.sub(place, firstRow)), none));
    }
    for (int64_t i = 0; i < each; ++i)
      number = addOne(number, i);
    auto [before, all] = countBefore(number);
    for (int64_t i = 0; i < each; ++i) {
      Value entry = b.add(b.mul(local[i], b.i32(tile)), i32(b.add(start, b.i64(i))));
      b.ifThen(isFound(i), [&] { b.store(entry, found, i64(before)); });
      before = addOne(before, i);
    }
    return i64(all);
  }

  /// The sum of `number` over the threads before this one, and over all of the block.
  std::pair<Value, Value> countBefore(Value number) {
    Value lane = i32(b.rem(thread, 32)), sum = number, zero = b.i32(0);
    for (int32_t distance = 1; distance < 32; distance *= 2) {
      Value from = b.sub(lane, b.i32(distance)), isLane = b.compare(arith::CmpIPredicate::sge, from, zero);
      Value other = b.shuffleFrom(sum, b.select(isLane, from, lane));
      sum = b.add(sum, b.select(isLane, other, zero));
    }
    Value warp = b.div(thread, 32);
    b.ifThen(b.equal(lane, b.i32(31)), [&] { b.store(sum, ofWarps, warp); });
    b.barrier();
    Value before = b.sub(sum, number), all = zero;
    for (int64_t w = 0; w < threads / 32; ++w) {
      Value ofWarp = b.load(b.getI32Type(), ofWarps, b.i64(w));
      before = b.add(before, b.select(b.less(b.i64(w), warp), ofWarp, zero));
      all = b.add(all, ofWarp);
    }
    return {before, all};
  }

  /// Entry `index` of the list: its position, and its row of the block.
  std::pair<Value, Value> entryAt(Value first, Value index) {
    Value entry = i64(b.load(b.getI32Type(), found, index));
    return {b.add(first, b.rem(entry, tile)), b.div(entry, tile)};
  }

  void findBags(Value first, Value number) {
    b.loop(thread, number, threads, [&](Value entry) {
      Value position = entryAt(first, entry).first;
      Value bag = b.last(b.i64(0), bags, [&](Value bag) {
        return b.compare(arith::CmpIPredicate::sle, b.loadI64(offsets, bag), position);
      });
      b.store(bag, foundBag, entry);
    });
  }

  void addFound(Value first, Value number, bool max) {
    b.loop(b.i64(0), number, 1, [&](Value entry) {
      auto [position, local] = entryAt(first, entry);
      b.ifThen(b.equal(b.rem(local, teams), mine), [&, position = position, local = local] {
        Value bag = b.load(b.getI64Type(), foundBag, entry);
        Value to = row(out, b.add(firstRow, local));
        forEachBlock(b, team, lane, [&](const LaneColumns &columns) {
          Values g = max ? ofWinners(columns, position, bag) : weighted(columns, position, bag);
          Values sums = columns.load(to, Memory::changes);
          for (auto [sum, x] : llvm::zip(sums, g))
            sum = arith::AddFOp::create(b, sum, x);
          columns.store(sums, to, /*aligned=*/{});
        });
      });
    });
  }

  Values gradientOf(const LaneColumns &columns, Value bag) {
    return columns.load(row(gradient, bag), Memory::constant);
  }

  Values weighted(const LaneColumns &columns, Value position, Value bag) {
    auto one = [&] { return Values{b.f32(1)}; };
    auto own = [&] { return Values{b.load(b.getF32Type(), weights, position, Memory::constant)}; };
    Value weight = columns.spread(b.ifElse(b.isNull(weights), b.getF32Type(), one, own).front());
    Values result;
    for (Value x : gradientOf(columns, bag))
      result.push_back(arith::MulFOp::create(b, weight, x));
    return result;
  }

  /// A vector of integers beside one of the columns.
  Value spread(const LaneColumns &columns, Value number) {
    auto type = dyn_cast<VectorType>(columns.type());
    return type ? vector::BroadcastOp::create(b, type.clone(number.getType()), number).getResult() : number;
  }

  /// The bag's gradient in the columns that `position` won in it, else 0. As in pool_rows, ties go to the earliest.
  Values ofWinners(const LaneColumns &columns, Value position, Value bag) {
    Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
    auto rowAt = [&](Value k) { return columns.load(row(rows, b.loadI64(places, k)), Memory::constant); };
    Values state = rowAt(from); // the largest so far, then where in the bag it is
    state.append(columns.pieces, spread(columns, b.i32(0)));
    state = b.loop(b.add(from, b.i64(1)), to, 1, state, [&](Value k, ValueRange before) {
      Values after(before);
      Value here = spread(columns, i32(b.sub(k, from)));
      for (auto [piece, x] : llvm::enumerate(rowAt(k))) {
        Value wins = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, before[piece]);
        after[piece] = b.select(wins, x, before[piece]);
        after[columns.pieces + piece] = b.select(wins, here, before[columns.pieces + piece]);
      }
      return after;
    });
    Value zeros = spread(columns, hasZeros(b, counts, bag, b.sub(to, from)));
    Value here = spread(columns, i32(b.sub(position, from)));
    Values result, g = gradientOf(columns, bag);
    for (int64_t piece = 0; piece < columns.pieces; ++piece) {
      Value zeroWins = b.both(zeros, arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, state[piece], columns.zero()));
      Value gradientOrZero = b.select(zeroWins, columns.zero(), g[piece]);
      result.push_back(b.select(b.equal(state[columns.pieces + piece], here), gradientOrZero, columns.zero()));
    }
    return result;
  }
};

} // namespace

LLVM::GlobalOp GpuKernels::poolRowsGrad(int64_t dim, bool max) {
  std::string name = std::string(max ? "pool_max_grad_d" : "pool_sum_grad_d") + std::to_string(dim);
  RowTeam team(dim);
  return get(name, {}, "ppppppllp", threads, [&](KernelBuilder &b) {
    b.setUnits(rowsOfBlock(team));
    b.setResidentBlocks(team.floatsAtOnce() <= 4 ? 4 : team.floatsAtOnce() <= 8 ? 3 : 2); // 64, 80 or 128 registers
    PoolRowsGrad pool{b, team};
    pool.clear();
    Value begin = b.loadI64(pool.offsets, b.i64(0)), end = b.loadI64(pool.offsets, pool.bags);
    b.loop(begin, end, tile, [&](Value first) {
      Value number = pool.find(first, end);
      b.barrier();
      pool.findBags(first, number);
      b.barrier();
      pool.addFound(first, number, max);
    });
  });
}
