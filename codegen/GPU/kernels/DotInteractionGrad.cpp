// Gradient of the dot interaction: input i gets the sum over the other inputs j, in order, of gradient(i, j) * input j
// (twice with itself). A warp for each sample, a lane for some columns; four inputs share the loads of input j.
#include "codegen/GPU/kernels/Interaction.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

constexpr int64_t tile = 4;

class Gradient {
public:
  Gradient(KernelBuilder &b, StagedInputs &staged, Pairs pairs, int64_t width)
      : b(b), staged(staged), pairs(pairs), width(width),
        gradient(b.floatAt(b.argument(0), b.mul(staged.sample, b.i64(pairs.count())))) {}

  /// This lane's vector of the `count` columns from `first` on, of all inputs.
  void columns(Value first, int64_t count) {
    Value column = b.mul(staged.lane, b.i64(width));
    b.ifThen(b.both(staged.active, b.less(column, b.i64(count))), [&] {
      int64_t whole = pairs.inputs / tile * tile, rest = pairs.inputs - whole;
      b.loop(b.i64(0), b.i64(whole), tile, [&](Value input) { inputTile(input, tile, column, first); });
      if (rest > 0)
        inputTile(b.i64(whole), rest, column, first);
    });
  }

private:
  void inputTile(Value first, int64_t count, Value column, Value firstColumn) {
    KernelBuilder::Values zeros(count, arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(staged.vector()))));
    KernelBuilder::Values sums = b.loop(b.i64(0), b.i64(pairs.inputs), 1, zeros, [&](Value j, ValueRange before) {
      Value x = staged.load(j, column);
      KernelBuilder::Values after;
      for (int64_t r = 0; r < count; ++r)
        after.push_back(add(b.add(first, b.i64(r)), j, x, before[r]));
      return after;
    });
    for (int64_t r = 0; r < count; ++r) {
      Value result = b.add(first, b.i64(pairs.inputs + r));
      b.store(sums[r], staged.place(result, b.add(firstColumn, column)));
    }
  }

  /// sum + gradient(i, j) * x
  Value add(Value i, Value j, Value x, Value sum) {
    Value same = b.equal(i, j);
    auto product = [&] {
      Value place = b.add(pairs.rowStart(b, b.maximum(i, j)), b.minimum(i, j));
      Value g = b.load(b.getF32Type(), gradient, place, Memory::constant);
      if (pairs.self)
        g = b.select(same, arith::AddFOp::create(b, g, g), g);
      Value factor = width == 1 ? g : vector::BroadcastOp::create(b, cast<VectorType>(x.getType()), g).getResult();
      return KernelBuilder::Values{math::FmaOp::create(b, factor, x, sum)};
    };
    if (pairs.self)
      return product().front();
    return b
        .ifElse(
            same, x.getType(), [&] { return KernelBuilder::Values{sum}; }, product)
        .front();
  }

  KernelBuilder &b;
  StagedInputs &staged;
  Pairs pairs;
  int64_t width;
  Value gradient;
};

/// Floats of a lane: as many as are loaded at once, fewer where so many inputs do not fit.
int64_t widthOf(int64_t inputs, int64_t dim) {
  int64_t width = RowTeam(dim).width;
  while (width > 1 && StagedInputs::bytes(inputs, 32 * width, width) > sharedBytes)
    width /= 2;
  return width;
}

void gradients(KernelBuilder &b, Pairs pairs, int64_t dim, int64_t samples) {
  int64_t width = widthOf(pairs.inputs, dim), atOnce = std::min(dim, 32 * width), looped = (dim - 1) / atOnce;
  StagedInputs staged(b, pairs.inputs, 2 * pairs.inputs, dim, atOnce, width, samples);
  Gradient gradient(b, staged, pairs, width);
  auto block = [&](Value first, int64_t count) {
    staged.stage(first, count);
    gradient.columns(first, count);
    staged.release();
  };
  b.loop(b.i64(0), b.i64(looped), 1, [&](Value number) { block(b.mul(number, b.i64(atOnce)), atOnce); });
  block(b.i64(looped * atOnce), dim - looped * atOnce);
}

} // namespace

LLVM::GlobalOp GpuKernels::dotInteractionGrad(int64_t inputs, int64_t dim, bool self) {
  std::string name =
      "dot_interaction_grad_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  int64_t width = widthOf(inputs, dim);
  int64_t samples = StagedInputs::samplesOf(StagedInputs::bytes(inputs, std::min(dim, 32 * width), width));
  return get(name, {}, "pl" + std::string(2 * inputs, 'p'), int32_t(32 * samples), [&](KernelBuilder &b) {
    gradients(b, {inputs, self}, dim, samples);
  });
}
