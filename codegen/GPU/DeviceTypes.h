// The structs of runtime/include/sparsec/device.h and SparsecKernel as LLVM types, and their fields by name. Pointers
// in lists of the device are to its global memory.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

namespace sparsec::codegen::layout {

/// Address spaces of a device's pointers.
enum AddressSpace : unsigned { globalMemory = 1, sharedMemory = 3 };

struct Kernel {
  enum Field : int32_t { name, arguments, threads, shared, waits, units, chunk, then, emulated };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct LookupEntry {
  enum Field : int32_t { first, firstChunk, offsets, values, weights, table, row0, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct CombineEntry {
  enum Field : int32_t { first, source, sources, stride, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct CopyEntry {
  enum Field : int32_t { first, from, to, dim, fromStride, toStride };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Occurrences {
  enum Field : int32_t { first, bags, offsets, values, weights, gradient, dim, row0, key };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Sorted {
  enum Field : int32_t { keys, order, gradient, weight, from, to };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Hyper {
  enum Field : int32_t { lr, scale, step };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct UpdateEntry {
  enum Field : int32_t { first, key, rows, field };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct SumEntry {
  enum Field : int32_t { key, row0, firstRun, rows, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};

/// SparsecThread and SparsecSite of emulated_thread.h.
struct Thread {
  enum Field : int32_t { thread, block, threads, blocks, shared };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
struct Site {
  enum Field : int32_t { file, line, column };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};

} // namespace sparsec::codegen::layout
