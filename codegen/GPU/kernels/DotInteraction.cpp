// Inner products of all pairs of inputs: a warp for each sample, a lane for each tile of 4 x 4 pairs.
//
// Rows of a tile are `tiles` apart, so that neighbouring lanes read neighbouring rows of shared memory. A product is
// summed in the order of columns.
#include "codegen/GPU/kernels/Interaction.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

StagedInputs::StagedInputs(KernelBuilder &b, int64_t inputs, int64_t matrices, int64_t dim, int64_t columns,
                           int64_t width, int64_t samples)
    : b(b), inputs(inputs), dim(dim), columns(columns), width(width) {
  Value thread = b.thread(), warp = b.div(thread, 32);
  lane = b.rem(thread, 32);
  sample = b.add(b.mul(b.block(), b.i64(samples)), warp);
  active = b.less(sample, b.argument(1));
  int64_t each = bytes(inputs, columns, width);
  memory = b.at(b.shared(each * samples), b.getI8Type(), b.mul(warp, b.i64(each)));
  b.setUnits(samples);
  // In shared memory an address can be found by a number that is only known at run time.
  addresses = b.shared(matrices * 8);
  b.ifThen(b.equal(thread, b.i64(0)), [&] {
    for (int64_t i = 0; i < matrices; ++i)
      b.store(b.argument(unsigned(2 + i)), addresses, b.i64(i));
  });
  b.barrier();
}

Type StagedInputs::vector() { return width == 1 ? Type(b.getF32Type()) : VectorType::get({width}, b.getF32Type()); }

Value StagedInputs::place(Value matrix, Value column) {
  Value start = b.load(b.pointer(), addresses, matrix);
  return b.floatAt(start, b.add(b.mul(sample, b.i64(dim)), column));
}

void StagedInputs::stage(Value first, int64_t count) {
  int64_t vectors = count / width;
  b.ifThen(active, [&] {
    b.loop(lane, b.i64(inputs * vectors), 32, [&](Value i) {
      Value input = b.div(i, vectors), column = b.mul(b.rem(i, vectors), b.i64(width));
      Value x = b.load(vector(), place(input, b.add(first, column)), Memory::constant);
      b.store(x, b.floatAt(memory, b.add(b.mul(input, b.i64(strideOf(columns, width))), column)));
    });
  });
  b.barrier();
}

Value StagedInputs::load(Value input, Value column) {
  return b.load(vector(), b.floatAt(memory, b.add(b.mul(input, b.i64(strideOf(columns, width))), column)));
}

namespace {

constexpr int64_t tile = 4;

/// One lane's tile: pairs of inputs left + r * tiles and right + q * tiles, right <= left < tiles.
struct Tile {
  KernelBuilder &b;
  StagedInputs &staged;
  Pairs pairs;
  int64_t tiles, width;
  Value left, right;
  SmallVector<Value> rows, columns; // inputs; those behind the last are the last

  Tile(KernelBuilder &b, StagedInputs &staged, Pairs pairs, int64_t width, Value number)
      : b(b), staged(staged), pairs(pairs), tiles((pairs.inputs + tile - 1) / tile), width(width) {
    auto start = [&](Value row) { return b.div(b.mul(row, b.add(row, b.i64(1))), 2); };
    left = b.last(b.i64(0), b.i64(tiles),
                  [&](Value row) { return b.compare(arith::CmpIPredicate::sle, start(row), number); });
    right = b.minimum(b.sub(number, start(left)), left); // lanes behind the last tile do something
    for (int64_t r = 0; r < tile; ++r) {
      rows.push_back(b.minimum(b.add(left, b.i64(r * tiles)), b.i64(pairs.inputs - 1)));
      columns.push_back(b.minimum(b.add(right, b.i64(r * tiles)), b.i64(pairs.inputs - 1)));
    }
  }

  Value element(Value vector, int64_t i) {
    return width == 1 ? vector : vector::ExtractOp::create(b, vector, i).getResult();
  }
  /// Adds products of `count` staged columns.
  KernelBuilder::Values multiply(int64_t count, ValueRange before) {
    return b.loop(b.i64(0), b.i64(count), width, before, [&](Value column, ValueRange inner) {
      SmallVector<Value> x, y;
      for (int64_t r = 0; r < tile; ++r)
        x.push_back(staged.load(rows[r], column));
      for (int64_t q = 0; q < tile; ++q)
        y.push_back(staged.load(columns[q], column));
      KernelBuilder::Values sums(inner);
      for (int64_t r = 0; r < tile; ++r)
        for (int64_t q = 0; q < tile; ++q)
          for (int64_t i = 0; i < width; ++i) {
            Value &sum = sums[r * tile + q];
            sum = math::FmaOp::create(b, element(x[r], i), element(y[q], i), sum);
          }
      return sums;
    });
  }

  void write(ValueRange sums, Value out) {
    for (int64_t r = 0; r < tile; ++r)
      for (int64_t q = 0; q < tile; ++q) {
        Value i = b.add(left, b.i64(r * tiles)), j = b.add(right, b.i64(q * tiles));
        Value inside = b.both(b.less(i, b.i64(pairs.inputs)), b.less(j, b.i64(pairs.inputs)));
        if (r < q + !pairs.self) // above the diagonal, there is the mirrored pair
          inside = b.both(inside, b.compare(arith::CmpIPredicate::ne, left, right));
        b.ifThen(inside, [&] {
          Value place = b.add(pairs.rowStart(b, b.maximum(i, j)), b.minimum(i, j));
          b.store(sums[r * tile + q], out, place);
        });
      }
  }
};

/// Columns staged at once: all, or as many as fit.
int64_t columnsAtOnce(int64_t inputs, int64_t dim, int64_t width) {
  int64_t columns = dim;
  while (columns > width && StagedInputs::bytes(inputs, columns, width) > sharedBytes)
    columns = (columns / 2 + width - 1) / width * width;
  return columns;
}

void interact(KernelBuilder &b, Pairs pairs, int64_t dim, int64_t samples) {
  int64_t width = RowTeam(dim).width, atOnce = columnsAtOnce(pairs.inputs, dim, width);
  StagedInputs staged(b, pairs.inputs, pairs.inputs, dim, atOnce, width, samples);
  int64_t tiles = (pairs.inputs + tile - 1) / tile, all = tiles * (tiles + 1) / 2, looped = (dim - 1) / atOnce;
  b.loop(b.i64(0), b.i64((all + 31) / 32), 1, [&](Value group) {
    Value number = b.add(b.mul(group, b.i64(32)), staged.lane);
    Tile mine(b, staged, pairs, width, number);
    Value busy = b.both(staged.active, b.less(number, b.i64(all)));
    auto block = [&](Value first, int64_t count, ValueRange before) {
      staged.stage(first, count);
      SmallVector<Type> types(before.getTypes());
      KernelBuilder::Values sums = b.ifElse(
          busy, types, [&] { return mine.multiply(count, before); }, [&] { return KernelBuilder::Values(before); });
      staged.release();
      return sums;
    };
    KernelBuilder::Values zeros(tile * tile, b.f32(0));
    KernelBuilder::Values sums = b.loop(b.i64(0), b.i64(looped), 1, zeros, [&](Value number, ValueRange before) {
      return block(b.mul(number, b.i64(atOnce)), atOnce, before);
    });
    sums = block(b.i64(looped * atOnce), dim - looped * atOnce, sums);
    b.ifThen(busy, [&] { mine.write(sums, b.floatAt(b.argument(0), b.mul(staged.sample, b.i64(pairs.count())))); });
  });
}

} // namespace

LLVM::GlobalOp GpuKernels::dotInteraction(int64_t inputs, int64_t dim, bool self) {
  std::string name = "dot_interaction_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  int64_t width = RowTeam(dim).width;
  int64_t samples = StagedInputs::samplesOf(StagedInputs::bytes(inputs, columnsAtOnce(inputs, dim, width), width));
  return get(name, {}, "pl" + std::string(inputs, 'p'), int32_t(32 * samples), [&](KernelBuilder &b) {
    interact(b, {inputs, self}, dim, samples);
  });
}
