// The structs of runtime/include/sparsec/abi.h as LLVM types, and their fields by name: the one place that knows them.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

namespace sparsec::codegen::layout {

struct Jagged {
  enum Field : int32_t { sources, items, bags, bagStart, offsets, values, weights, counts };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Lookup {
  enum Field : int32_t { offsets, values, weights, table, row0, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct LocalItem {
  enum Field : int32_t { kernel, table, part, ids, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Combine {
  enum Field : int32_t { source, sources, stride, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Item {
  enum Field : int32_t { lookup, table, part, first, count, col0, dim, rows, lookupKernel, combineKernel };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Segments {
  enum Field : int32_t { segments, rows, start, gradient, weight, out, field, lr, scale, step };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Update {
  enum Field : int32_t { kernel, table, part, sweep, rows };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};

} // namespace sparsec::codegen::layout
