// Inner products of all pairs of inputs, sample by sample, in tiles of 4 x 4 inputs.
//
// The products of a tile's pairs are kept as vectors over columns; at the end the tile's vectors are added up together,
// two at a time, until one vector holds one pair's product in each lane: a third of the shuffles of adding up each.
#include "codegen/CPU/kernels/Interaction.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMStructType DotInteractionArgument::type(MLIRContext *context, int64_t inputs) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, LLVM::LLVMArrayType::get(pointer, inputs)});
}

void sparsec::codegen::forEachTile(KernelBuilder &b, int64_t inputs, llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = inputs / tile;
  if (whole > 0)
    b.loop(b.i64(0), b.i64(whole), [&](Value t) { body(b.mul(t, b.i64(tile)), tile); });
  if (inputs % tile != 0)
    body(b.i64(whole * tile), inputs % tile);
}

namespace {

/// Each of `left` and `right` holds the partial sums of `results` results, side by side; so does what comes back, of
/// twice as many, with half the partial sums.
Value addHalves(KernelBuilder &b, Value left, Value right, int64_t results) {
  int64_t lanes = cast<VectorType>(left.getType()).getDimSize(0), each = lanes / results;
  SmallVector<int32_t> low, high;
  for (int64_t r = 0; r < 2 * results; ++r)
    for (int64_t lane = 0; lane < each / 2; ++lane) {
      low.push_back(int32_t(r * each + lane));
      high.push_back(int32_t(r * each + lane + each / 2));
    }
  return arith::AddFOp::create(b, LLVM::ShuffleVectorOp::create(b, left, right, low),
                               LLVM::ShuffleVectorOp::create(b, left, right, high));
}

/// Sums of the lanes of each vector, in order: as many to a vector as it has lanes.
SmallVector<Value> sumsOfLanes(KernelBuilder &b, ArrayRef<Value> vectors) {
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getDimSize(0);
  SmallVector<Value> sums;
  for (size_t first = 0; first < vectors.size(); first += lanes) {
    SmallVector<Value> group(vectors.slice(first, std::min<size_t>(lanes, vectors.size() - first)));
    for (int64_t results = 1; results < lanes; results *= 2) {
      SmallVector<Value> next;
      for (size_t i = 0; i < group.size(); i += 2)
        next.push_back(addHalves(b, group[i], group[std::min(i + 1, group.size() - 1)], results));
      group = next;
    }
    sums.push_back(group.front());
  }
  return sums;
}

class DotInteraction {
public:
  DotInteraction(KernelBuilder &b, Triangle triangle, int64_t dim) : b(b), triangle(triangle), dim(dim) {
    type = DotInteractionArgument::type(b.getContext(), triangle.inputs);
    out = b.pointerField(b.argument, type, DotInteractionArgument::out);
    inputs = LLVM::GEPOp::create(b, b.pointer(), type, b.argument,
                                 ArrayRef<LLVM::GEPArg>{0, DotInteractionArgument::inputs});
  }

  void sample(Value sample) {
    Value result = b.row(out, triangle.pairs(), sample);
    forEachTile(b, triangle.inputs, [&](Value i, int64_t count) {
      SmallVector<Value> left = rows(sample, i, count), starts;
      for (int64_t r = 0; r < count; ++r)
        starts.push_back(b.at(result, b.getF32Type(), triangle.rowStart(b, b.add(i, b.i64(r)))));
      Value before = arith::ShRUIOp::create(b, i, b.i64(2)); // tiles left of the diagonal
      b.loop(b.i64(0), before, [&](Value t) {
        Value j = b.mul(t, b.i64(tile));
        SmallVector<Value> places;
        for (Value start : starts)
          places.push_back(b.at(start, b.getF32Type(), j));
        products(left, rows(sample, j, tile), SmallVector<int64_t>(count, tile), places);
      });
      SmallVector<Value> places;
      SmallVector<int64_t> lengths;
      for (int64_t r = 0; r < count; ++r) {
        places.push_back(b.at(starts[r], b.getF32Type(), i));
        lengths.push_back(r + triangle.self);
      }
      products(left, left, lengths, places);
    });
  }

private:
  SmallVector<Value> rows(Value sample, Value first, int64_t count) {
    SmallVector<Value> result;
    for (int64_t r = 0; r < count; ++r)
      result.push_back(b.row(b.load(b.pointer(), inputs, b.add(first, b.i64(r))), dim, sample));
    return result;
  }

  /// Products of row r of `left` with the first lengths[r] rows of `right`, to places[r] onwards.
  void products(ArrayRef<Value> left, ArrayRef<Value> right, ArrayRef<int64_t> lengths, ArrayRef<Value> places) {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto [r, length] : llvm::enumerate(lengths))
      for (int64_t c = 0; c < length; ++c)
        pairs.push_back({int64_t(r), c});
    if (pairs.empty())
      return;
    SmallVector<Value> zeros(pairs.size(), Columns(b, dim, Columns::lanesOf(dim)).zero());
    auto vectors =
        forEachBlock(b, dim, blockColumns, zeros, [&](const Columns &columns, Value column, ValueRange sums) {
          return multiply(columns, column, left, right, pairs, sums);
        });
    write(sumsOfLanes(b, vectors), lengths, places);
  }

  SmallVector<Value> multiply(const Columns &columns, Value column, ArrayRef<Value> left, ArrayRef<Value> right,
                              ArrayRef<std::pair<int64_t, int64_t>> pairs, ValueRange before) {
    SmallVector<Value> sums(before);
    auto load = [&](ArrayRef<Value> rows, size_t piece) {
      SmallVector<Value> values;
      for (Value row : rows)
        values.push_back(columns.load(b.at(row, b.getF32Type(), column), piece));
      return values;
    };
    for (size_t piece = 0; piece < columns.size(); ++piece) {
      SmallVector<Value> x = load(left, piece), y = left == right ? x : load(right, piece);
      for (auto [sum, pair] : llvm::zip(sums, pairs))
        sum = math::FmaOp::create(b, x[pair.first], y[pair.second], sum);
    }
    return sums;
  }

  void write(ArrayRef<Value> sums, ArrayRef<int64_t> lengths, ArrayRef<Value> places) {
    int64_t lanes = cast<VectorType>(sums.front().getType()).getDimSize(0), next = 0;
    for (auto [length, place] : llvm::zip(lengths, places)) {
      bool together = length > 0 && next / lanes == (next + length - 1) / lanes;
      if (together) {
        SmallVector<int32_t> which;
        for (int64_t lane = 0; lane < length; ++lane)
          which.push_back(int32_t(next % lanes + lane));
        Value sum = sums[next / lanes];
        LLVM::StoreOp::create(b, LLVM::ShuffleVectorOp::create(b, sum, sum, which), place, /*alignment=*/4);
      } else {
        for (int64_t c = 0; c < length; ++c) {
          Value sum = LLVM::ExtractElementOp::create(b, sums[(next + c) / lanes], b.i64((next + c) % lanes));
          b.store(sum, place, b.i64(c));
        }
      }
      next += length;
    }
  }

  KernelBuilder &b;
  Triangle triangle;
  int64_t dim;
  LLVM::LLVMStructType type;
  Value out, inputs;
};

} // namespace

LLVM::LLVMFuncOp Kernels::dotInteraction(int64_t inputs, int64_t dim, bool self) {
  std::string name = "dot_interaction_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  return get(name, {}, [&](KernelBuilder &b) {
    DotInteraction interaction(b, {inputs, self}, dim);
    b.loop(b.begin, b.end, [&](Value sample) { interaction.sample(sample); });
  });
}
