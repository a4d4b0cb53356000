#include "codegen/CPU/kernels/KernelBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sparsec::codegen;

int64_t Columns::lanesOf(int64_t dim) { return dim >= 16 ? 16 : int64_t(llvm::PowerOf2Ceil(uint64_t(dim))); }

Value Columns::zero() const { return arith::ConstantOp::create(b, type(), DenseElementsAttr::get(type(), 0.0f)); }

Value Columns::mask() const {
  SmallVector<bool> active(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    active[lane] = lane < width - int64_t(size() - 1) * lanes;
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, active));
}

Value Columns::place(Value pointer, size_t piece) const {
  return LLVM::GEPOp::create(b, b.pointer(), b.getF32Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(piece * lanes))});
}

Value Columns::load(Value pointer, size_t piece) const {
  Value from = place(pointer, piece);
  if (isMasked(piece))
    return LLVM::MaskedLoadOp::create(b, type(), from, mask(), zero(), b.getI32IntegerAttr(4));
  return LLVM::LoadOp::create(b, type(), from, /*alignment=*/4);
}
SmallVector<Value> Columns::load(Value pointer) const {
  SmallVector<Value> pieces;
  for (size_t piece = 0; piece < size(); ++piece)
    pieces.push_back(load(pointer, piece));
  return pieces;
}

void Columns::store(ValueRange pieces, Value pointer) const {
  for (auto [piece, value] : llvm::enumerate(pieces)) {
    Value to = place(pointer, piece);
    if (isMasked(piece))
      LLVM::MaskedStoreOp::create(b, value, to, mask(), b.getI32IntegerAttr(4));
    else
      LLVM::StoreOp::create(b, value, to, /*alignment=*/4);
  }
}

Value sparsec::codegen::sumOfLanes(KernelBuilder &b, Value vector) {
  for (int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0); lanes > 1; lanes /= 2) {
    SmallVector<int32_t> low, high;
    for (int64_t lane = 0; lane < lanes / 2; ++lane) {
      low.push_back(int32_t(lane));
      high.push_back(int32_t(lane + lanes / 2));
    }
    Value left = LLVM::ShuffleVectorOp::create(b, vector, vector, low);
    Value right = LLVM::ShuffleVectorOp::create(b, vector, vector, high);
    vector = arith::AddFOp::create(b, left, right);
  }
  return LLVM::ExtractElementOp::create(b, vector, b.i64(0));
}

SmallVector<Value> sparsec::codegen::forEachBlock(KernelBuilder &b, int64_t dim, int64_t blockWidth, ValueRange carried,
                                                  BlockBody body) {
  int64_t lanes = Columns::lanesOf(dim), looped = (dim - 1) / blockWidth;
  SmallVector<Value> state(carried);
  Value last = b.i64(looped * blockWidth);
  if (looped > 0) {
    Columns whole(b, blockWidth, lanes);
    state = b.loop(b.i64(0), b.i64(looped), carried,
                   [&](Value block, ValueRange inner) { return body(whole, b.mul(block, b.i64(blockWidth)), inner); });
  }
  return body(Columns(b, dim - looped * blockWidth, lanes), last, state);
}
void sparsec::codegen::forEachBlock(KernelBuilder &b, int64_t dim, int64_t blockWidth,
                                    llvm::function_ref<void(const Columns &, Value)> body) {
  forEachBlock(b, dim, blockWidth, ValueRange(), [&](const Columns &columns, Value first, ValueRange) {
    body(columns, first);
    return SmallVector<Value>();
  });
}
