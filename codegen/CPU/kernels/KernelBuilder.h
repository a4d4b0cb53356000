// What kernels are written with: a function under construction, and rows as vectors.
#pragma once
#include "codegen/CPU/kernels/Kernels.h"
#include "codegen/Common/Embedding/AbiTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sparsec::codegen {

/// Builds `void name(ptr argument, i64 begin, i64 end)`. Loops count in i64: tables have up to 2^40 rows.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  KernelBuilder(mlir::ModuleOp module, llvm::StringRef name);
  /// Ends the function and moves what does not change out of its loops.
  mlir::LLVM::LLVMFuncOp finish();

  mlir::Value argument, begin, end;

  mlir::Type pointer() { return mlir::LLVM::LLVMPointerType::get(getContext()); }
  mlir::Value i64(int64_t value);
  mlir::Value f32(double value);
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(*this, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubIOp::create(*this, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulIOp::create(*this, x, y); }
  mlir::Value minimum(mlir::Value x, mlir::Value y) { return mlir::arith::MinSIOp::create(*this, x, y); }
  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(*this, how, x, y);
  }
  mlir::Value isNull(mlir::Value pointer);

  /// Field `index` of the struct of type `type` that `base` points to.
  mlir::Value field(mlir::Type result, mlir::Value base, mlir::LLVM::LLVMStructType type, int32_t index);
  mlir::Value pointerField(mlir::Value base, mlir::LLVM::LLVMStructType type, int32_t index) {
    return field(pointer(), base, type, index);
  }
  /// base + index elements.
  mlir::Value at(mlir::Value base, mlir::Type element, mlir::Value index);
  mlir::Value load(mlir::Type element, mlir::Value base, mlir::Value index);
  mlir::Value loadI64(mlir::Value base, mlir::Value index) { return load(getI64Type(), base, index); }
  void store(mlir::Value value, mlir::Value base, mlir::Value index);
  /// Row `index` of a matrix [.., dim] of floats.
  mlir::Value row(mlir::Value base, int64_t dim, mlir::Value index);
  /// The cache lines of `floats` floats, to read or to write.
  void prefetch(mlir::Value pointer, int64_t floats, bool aligned, bool write);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value from, mlir::Value to, mlir::ValueRange carried, Body body);
  void loop(mlir::Value from, mlir::Value to, llvm::function_ref<void(mlir::Value index)> body);
  using Branch = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
  llvm::SmallVector<mlir::Value> ifElse(mlir::Value condition, mlir::TypeRange results, Branch then, Branch otherwise);

private:
  mlir::LLVM::LLVMFuncOp function;
};

/// `width` neighbouring columns of a row as vectors of 16 lanes, the last one masked where columns are left over; of a
/// row with less than 16 columns one vector of the next power of two.
class Columns {
public:
  Columns(KernelBuilder &b, int64_t width, int64_t lanes) : width(width), lanes(lanes), b(b) {}
  static int64_t lanesOf(int64_t dim);

  const int64_t width, lanes;
  size_t size() const { return (width + lanes - 1) / lanes; }
  mlir::VectorType type() const { return mlir::VectorType::get({lanes}, b.getF32Type()); }

  mlir::Value zero() const;
  llvm::SmallVector<mlir::Value> zeros() const { return llvm::SmallVector<mlir::Value>(size(), zero()); }
  mlir::Value spread(mlir::Value scalar) const { return mlir::vector::BroadcastOp::create(b, type(), scalar); }
  /// `pointer` is that of the first of the columns; lanes beyond the last column are 0.
  llvm::SmallVector<mlir::Value> load(mlir::Value pointer) const;
  mlir::Value load(mlir::Value pointer, size_t piece) const;
  void store(mlir::ValueRange pieces, mlir::Value pointer) const;

private:
  bool isMasked(size_t piece) const { return int64_t(piece + 1) * lanes > width; }
  mlir::Value mask() const;
  mlir::Value place(mlir::Value pointer, size_t piece) const;
  KernelBuilder &b;
};

/// Sum of the lanes, as a tree: halves, quarters, ... .
mlir::Value sumOfLanes(KernelBuilder &b, mlir::Value vector);

/// A row of any width in blocks that fit the registers: all but the last in a loop. `carried` goes through all blocks.
using BlockBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(const Columns &, mlir::Value firstColumn,
                                                                    mlir::ValueRange carried)>;
llvm::SmallVector<mlir::Value> forEachBlock(KernelBuilder &b, int64_t dim, int64_t blockWidth, mlir::ValueRange carried,
                                            BlockBody body);
void forEachBlock(KernelBuilder &b, int64_t dim, int64_t blockWidth,
                  llvm::function_ref<void(const Columns &, mlir::Value firstColumn)> body);
/// Columns in registers at once; eight vectors of AVX-512, sixteen of AVX2.
inline constexpr int64_t blockColumns = 128;

/// Rows to prefetch ahead: 16, less where rows are so long that they would push each other out of the first cache.
int64_t rowsAhead(int64_t dim);

} // namespace sparsec::codegen
