// How lowered code talks to the runtime: the functions of runtime/include/sparsec/abi.h as llvm.call ops.
//
// Entry points have become `func.func @train(%context: !llvm.ptr, %step: i64) -> i32` (pass rec-entry-abi) when these
// are used. A fallible call is marked and stays straight-line code; rec-check-status turns it into a branch to the exit
// once buffers are placed.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sparsec::codegen {

/// Unit attribute on an llvm.call: return from the entry point at once if its i32 result, a status, is not 0, or its
/// pointer result is null (with status 1).
inline constexpr llvm::StringLiteral checkedAttr = "sparsec.checked";

/// Unit attribute on an scf.for whose iterations are independent of each other.
inline constexpr llvm::StringLiteral parallelAttr = "sparsec.parallel";

class RuntimeCalls {
public:
  RuntimeCalls(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  /// The entry point's SparsecContext *.
  mlir::Value context();
  /// Calls `name(context, arguments...)`; declares it if need be. `result` null: void.
  mlir::Value call(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// The same for a function whose result says whether it failed (see checkedAttr): leaves the entry point if so.
  mlir::Value callChecked(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// Calls a function that returns a status, and leaves the entry point if it is not 0.
  mlir::LLVM::CallOp check(llvm::StringRef name, mlir::ValueRange arguments);

  mlir::Type pointer() { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  mlir::Value constant(int32_t value);
  mlir::Value constant64(int64_t value);
  mlir::Value null();
  /// index or i64 as i64.
  mlir::Value asI64(mlir::Value index);
  mlir::Value asIndex(mlir::Value i64);

  /// Address of element 0 of a tensor or memref whose layout is dense row-major. A tensor is only read through it.
  mlir::Value address(mlir::Value tensorOrMemref);
  /// A new dense buffer for a tensor type; `extents` are its dynamic extents (index), in order.
  mlir::Value newBuffer(mlir::RankedTensorType type, mlir::ValueRange extents);
  /// The tensor that a buffer holds, written by calls before this place and by nobody after it.
  mlir::Value asTensor(mlir::Value buffer);
  /// Runtime memory as a memref; `extents` as for newBuffer.
  mlir::Value memrefAt(mlir::Value pointer, mlir::MemRefType type, mlir::ValueRange extents);
  /// A tensor view of runtime memory that lives through the step (an input, a parameter).
  mlir::Value tensorAt(mlir::Value pointer, mlir::RankedTensorType type, mlir::ValueRange extents);
  /// Stack space for `count` values of `type`, in the entry block.
  mlir::Value onStack(mlir::Type type, int64_t count);
  /// Writes `value` to field or element `path` of what `base` (of type `type`) points to.
  void store(mlir::Value value, mlir::Value base, mlir::Type type, llvm::ArrayRef<int32_t> path);
  mlir::Value load(mlir::Type result, mlir::Value base, mlir::Type type, llvm::ArrayRef<int32_t> path);

  /// SPARSEC_AXIS_* mask of named mesh axes.
  mlir::Value axes(mlir::ArrayAttr names);

private:
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace sparsec::codegen
