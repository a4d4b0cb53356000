// Inner products of all pairs of inputs, sample by sample, in tiles of 4 x 4 inputs: a thread for each tile, some
// samples to a block.
//
// Rows pass through shared memory in chunks of columns, so that each is read once from global memory; a tile takes 8
// vectors from there for 16 products of vectors. Rows of a tile are followed by 16 bytes of padding: neighbouring
// threads, which read neighbouring tiles, meet different banks. A product is summed by one thread, over columns in
// order.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/Interaction.h"
#include "codegen/GPU/kernels/RowTeam.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// How a block divides its work.
struct TilePlan {
  TilePlan(int64_t inputs, int64_t dim) : team(dim) {
    tile = std::min<int64_t>(4, inputs);
    tileRows = (inputs + tile - 1) / tile;
    tiles = tileRows * (tileRows + 1) / 2;
    threads = tiles > 128 ? 256 : 128;
    chunk = std::clamp<int64_t>(int64_t(llvm::PowerOf2Ceil(uint64_t(dim))), 4, 32);
    while (chunk > 4 && slotFloats() > mostFloats)
      chunk /= 2;
    while (chunk > 8 && slots() * tiles < threads / 4 * 3 && slots() < threads / tiles)
      chunk /= 2;
  }
  RowTeam team; // for the vectors of a row
  int64_t tile, tileRows, tiles, threads;
  int64_t chunk; // columns that are staged at once: a multiple of 4

  static constexpr int64_t mostFloats = 10240, // of shared memory, 40 KiB
      fewFloats = 4096;                        // several blocks of 16 KiB hide each other's waits
  int64_t rows() const { return tileRows * tile; }
  int64_t tileFloats() const { return tile * chunk + 4; }
  int64_t slotFloats() const { return tileRows * tileFloats(); }
  /// Samples of a block.
  int64_t slots() const { return std::max<int64_t>(1, std::min(threads / tiles, fewFloats / slotFloats())); }
  /// How often a block goes through its sample, where that has more tiles than the block has threads.
  int64_t rounds() const { return (tiles + threads - 1) / threads; }
};

/// Arguments: samples, out, inputs.
class DotInteraction {
public:
  DotInteraction(KernelBuilder &b, Triangle triangle, TilePlan plan)
      : b(b), triangle(triangle), plan(plan), thread(b.thread()), samples(b.argument(0)),
        firstSample(b.mul(b.block(), b.i64(plan.slots()))), staged(b.shared(plan.slots() * plan.slotFloats() * 4)),
        inputs(shareAddresses(b, 2, triangle.inputs)) {
    moved = plan.team.width == 1 ? Type(b.getF32Type()) : VectorType::get({plan.team.width}, b.getF32Type());
  }

  void products() {
    if (plan.rounds() == 1)
      return round(b.div(thread, plan.tiles), b.rem(thread, plan.tiles));
    b.loop(b.i64(0), b.i64(plan.rounds()), 1,
           [&](Value n) { round(b.i64(0), b.add(thread, b.mul(n, b.i64(plan.threads)))); });
  }

private:
  using Values = KernelBuilder::Values;

  /// Threads beyond the last tile do the work of another one, and write nothing.
  void round(Value ofSlot, Value ofTile) {
    Value sample = b.add(firstSample, ofSlot);
    Value writes =
        b.both(b.both(b.less(ofSlot, b.i64(plan.slots())), b.less(ofTile, b.i64(plan.tiles))), b.less(sample, samples));
    Value slot = b.minimum(ofSlot, b.i64(plan.slots() - 1)), index = b.minimum(ofTile, b.i64(plan.tiles - 1));
    auto before = [&](Value row) { return b.div(b.mul(row, b.add(row, b.i64(1))), 2); };
    Value tileRow = b.last(b.i64(0), b.i64(plan.tileRows),
                           [&](Value row) { return b.compare(arith::CmpIPredicate::sle, before(row), index); });
    Value tileColumn = b.sub(index, before(tileRow));
    auto place = [&](Value which) {
      Value first = b.add(b.mul(slot, b.i64(plan.slotFloats())), b.mul(which, b.i64(plan.tileFloats())));
      return b.floatAt(staged, first);
    };
    Value left = place(tileRow), right = place(tileColumn);
    Values sums(plan.tile * plan.tile, b.f32(0));
    int64_t whole = plan.team.dim / plan.chunk, rest = plan.team.dim % plan.chunk;
    auto chunk = [&](Value number, int64_t count, ValueRange before) {
      b.barrier();
      stage(b.mul(number, b.i64(plan.chunk / plan.team.width)), count);
      b.barrier();
      return multiply(left, right, count, before);
    };
    if (whole > 0)
      sums = b.loop(b.i64(0), b.i64(whole), 1, sums,
                    [&](Value number, ValueRange before) { return chunk(number, plan.chunk, before); });
    if (rest > 0)
      sums = chunk(b.i64(whole), int64_t(llvm::alignTo(uint64_t(rest), 4)), sums);
    b.ifThen(writes, [&] { write(sums, sample, tileRow, tileColumn); });
  }

  /// `count` columns of all rows, from vector `first` on; 0 behind a row's end. Rows behind the last one, and samples,
  /// repeat it: what comes of them is not written, and nothing has to ask.
  void stage(Value first, int64_t count) {
    constexpr int64_t inFlight = 8;
    int64_t vectors = count / plan.team.width, all = plan.slots() * plan.rows() * vectors;
    int64_t whole = all / (inFlight * plan.threads) * inFlight * plan.threads;
    auto move = [&](Value begin, int64_t items) {
      SmallVector<Move> moves;
      for (int64_t at = 0; at < items; at += plan.threads) {
        Value item = b.add(begin, b.i64(at));
        moves.push_back(load(at + plan.threads > items ? b.minimum(item, b.i64(all - 1)) : item, first, vectors));
      }
      for (auto [i, move] : llvm::enumerate(moves)) {
        int64_t at = int64_t(i) * plan.threads;
        auto put = [&] { b.store(move.value, move.to); };
        if (at + plan.threads > items)
          b.ifThen(b.less(b.add(begin, b.i64(at)), b.i64(all)), put);
        else
          put();
      }
    };
    b.loop(b.i64(0), b.i64(whole), inFlight * plan.threads,
           [&](Value begin) { move(b.add(thread, begin), inFlight * plan.threads); });
    move(b.add(thread, b.i64(whole)), all - whole);
  }

  struct Move {
    Value value, to;
  };
  Move load(Value item, Value first, int64_t vectors) {
    Value vector = b.rem(item, vectors), rest = b.div(item, vectors), last = b.i64(plan.team.vectors - 1);
    Value row = b.rem(rest, plan.rows()), slot = b.div(rest, plan.rows());
    Value input = b.minimum(row, b.i64(triangle.inputs - 1));
    Value sample = b.minimum(b.add(firstSample, slot), b.sub(samples, b.i64(1)));
    Value ofRow = b.add(first, vector), from = rowOf(b, inputs, input, sample, plan.team.dim);
    Value value = b.load(moved, b.at(from, moved, b.minimum(ofRow, last)), Memory::constant);
    if (plan.team.dim % 4 != 0)
      value = b.select(b.less(last, ofRow), arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(moved))), value);
    Value tileStart =
        b.add(b.mul(slot, b.i64(plan.slotFloats())), b.mul(b.div(row, plan.tile), b.i64(plan.tileFloats())));
    Value rowStart = b.add(tileStart, b.mul(b.rem(row, plan.tile), b.i64(plan.chunk)));
    return {value, b.at(b.floatAt(staged, rowStart), moved, vector)};
  }

  Values multiply(Value left, Value right, int64_t count, ValueRange before) {
    auto four = VectorType::get({4}, b.getF32Type());
    return b.loop(b.i64(0), b.i64(count / 4), 1, before, [&](Value vector, ValueRange carried) {
      auto load = [&](Value rows) {
        Values values;
        for (int64_t r = 0; r < plan.tile; ++r)
          values.push_back(b.load(four, b.floatAt(rows, b.i64(r * plan.chunk)), vector));
        return values;
      };
      Values x = load(left), y = load(right), sums(carried);
      auto element = [&](Value vector, int64_t i) { return vector::ExtractOp::create(b, vector, i).getResult(); };
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t r = 0; r < plan.tile; ++r)
          for (int64_t c = 0; c < plan.tile; ++c) {
            Value &sum = sums[r * plan.tile + c];
            sum = math::FmaOp::create(b, element(x[r], i), element(y[c], i), sum);
          }
      return sums;
    });
  }

  void write(ValueRange sums, Value sample, Value tileRow, Value tileColumn) {
    Value result = b.floatAt(b.argument(1), b.mul(sample, b.i64(triangle.pairs())));
    for (int64_t r = 0; r < plan.tile; ++r) {
      Value i = b.add(b.mul(tileRow, b.i64(plan.tile)), b.i64(r));
      Value row = b.floatAt(result, triangle.rowStart(b, i)), end = triangle.self ? b.add(i, b.i64(1)) : i;
      Value isInput = b.less(i, b.i64(triangle.inputs));
      for (int64_t c = 0; c < plan.tile; ++c) {
        Value j = b.add(b.mul(tileColumn, b.i64(plan.tile)), b.i64(c));
        b.ifThen(b.both(isInput, b.less(j, end)), [&] { b.store(sums[r * plan.tile + c], row, j); });
      }
    }
  }

  KernelBuilder &b;
  Triangle triangle;
  TilePlan plan;
  Type moved; // a vector of columns, as wide as rows allow
  Value thread, samples, firstSample, staged, inputs;
};

} // namespace

LLVM::GlobalOp GpuKernels::dotInteraction(int64_t inputs, int64_t dim, bool self) {
  std::string name = "dot_interaction_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  Triangle triangle{inputs, self};
  TilePlan plan(inputs, dim);
  return get(name, {}, "lp" + std::string(inputs, 'p'), int32_t(plan.threads), [&](KernelBuilder &b) {
    b.setUnits(plan.slots());
    b.setResidentBlocks(int32_t(512 / plan.threads)); // 128 registers
    if (triangle.pairs() > 0)
      DotInteraction(b, triangle, plan).products();
  });
}
