// Gradient of the dot interaction: input i gets the sum over the other inputs j, in order, of gradient(i, j) * input j
// (twice with itself). Four inputs at a time share the loads of input j.
#include "codegen/CPU/kernels/Interaction.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMStructType DotInteractionGradArgument::type(MLIRContext *context, int64_t inputs) {
  Type pointer = LLVM::LLVMPointerType::get(context), pointers = LLVM::LLVMArrayType::get(pointer, inputs);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointers, pointers});
}

namespace {

class DotInteractionGrad {
public:
  DotInteractionGrad(KernelBuilder &b, Triangle triangle, int64_t dim) : b(b), triangle(triangle), dim(dim) {
    auto type = DotInteractionGradArgument::type(b.getContext(), triangle.inputs);
    auto array = [&](int32_t field) {
      return LLVM::GEPOp::create(b, b.pointer(), type, b.argument, ArrayRef<LLVM::GEPArg>{0, field});
    };
    gradient = b.pointerField(b.argument, type, DotInteractionGradArgument::gradient);
    inputs = array(DotInteractionGradArgument::inputs);
    results = array(DotInteractionGradArgument::results);
  }

  void openSample(Value index) {
    sample = index;
    pairs = b.row(gradient, triangle.pairs(), sample);
  }

  /// Inputs first ... first + count - 1.
  void inputTile(Value first, int64_t count) {
    constexpr int64_t blockWidth = 64; // 4 inputs x 4 vectors
    forEachBlock(b, dim, blockWidth, [&](const Columns &columns, Value column) {
      SmallVector<Value> sums(count * columns.size(), columns.zero());
      sums = b.loop(b.i64(0), first, sums, [&](Value j, ValueRange before) {
        return add(columns, before, j, column,
                   [&](int64_t r) -> Value { return coefficient(triangle.rowStart(b, b.add(first, b.i64(r))), j); });
      });
      for (int64_t c = 0; c < count; ++c)
        sums = add(columns, sums, b.add(first, b.i64(c)), column, [&](int64_t r) { return inTile(first, r, c); });
      sums = b.loop(b.add(first, b.i64(count)), b.i64(triangle.inputs), sums, [&](Value j, ValueRange before) {
        Value start = triangle.rowStart(b, j);
        return add(columns, before, j, column,
                   [&](int64_t r) -> Value { return coefficient(start, b.add(first, b.i64(r))); });
      });
      for (int64_t r = 0; r < count; ++r)
        columns.store(ArrayRef(sums).slice(r * columns.size(), columns.size()),
                      place(results, b.add(first, b.i64(r)), column));
    });
  }

private:
  Value place(Value array, Value input, Value column) {
    return b.at(b.row(b.load(b.pointer(), array, input), dim, sample), b.getF32Type(), column);
  }
  Value coefficient(Value start, Value offset) { return b.load(b.getF32Type(), pairs, b.add(start, offset)); }

  /// Of inputs first + r and first + c; null: no such pair.
  Value inTile(Value first, int64_t r, int64_t c) {
    if (r == c && !triangle.self)
      return {};
    Value start = triangle.rowStart(b, b.add(first, b.i64(std::max(r, c))));
    Value g = coefficient(start, b.add(first, b.i64(std::min(r, c))));
    return r == c ? arith::AddFOp::create(b, g, g).getResult() : g;
  }

  /// sums[r] + coefficient(r) * input j
  SmallVector<Value> add(const Columns &columns, ValueRange before, Value j, Value column,
                         llvm::function_ref<Value(int64_t)> coefficient) {
    SmallVector<Value> row = columns.load(place(inputs, j, column)), sums(before);
    for (size_t r = 0; r < sums.size() / row.size(); ++r) {
      Value g = coefficient(int64_t(r));
      if (!g)
        continue;
      Value factor = columns.spread(g);
      for (auto [piece, x] : llvm::enumerate(row)) {
        Value &sum = sums[r * row.size() + piece];
        sum = math::FmaOp::create(b, factor, x, sum);
      }
    }
    return sums;
  }

  KernelBuilder &b;
  Triangle triangle;
  int64_t dim;
  Value gradient, inputs, results, sample, pairs;
};

} // namespace

LLVM::LLVMFuncOp Kernels::dotInteractionGrad(int64_t inputs, int64_t dim, bool self) {
  std::string name =
      "dot_interaction_grad_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  return get(name, {}, [&](KernelBuilder &b) {
    DotInteractionGrad interaction(b, {inputs, self}, dim);
    b.loop(b.begin, b.end, [&](Value sample) {
      interaction.openSample(sample);
      forEachTile(b, inputs, [&](Value first, int64_t count) { interaction.inputTile(first, count); });
    });
  });
}
