// Which device memory the ops of an entry point touch: what may move past what.
#pragma once
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Block.h"

namespace sparsec::codegen {

/// Memory that an op reads, or writes too. A root is an allocation or a pointer of the runtime's; `buffer` is what of
/// it, a memref; null: all.
struct MemoryAccess {
  mlir::Value root;
  bool writes;
  mlir::Value buffer = {};
};

/// Device memory holds floats (f32, f64); buffers of integers are the host's.
bool isDeviceMemory(mlir::Type memref);

/// What the ops of a straight-line entry point touch, before they are changed. A call touches all memory whose address
/// it was given, or finds in stack slots and in results of calls that got them, as BufferLiveness has it.
class DenseMemory {
public:
  explicit DenseMemory(mlir::Block &block);
  /// Where a buffer or address comes from. The same parameter, input or label asked for twice has one root.
  mlir::Value rootOf(mlir::Value bufferOrAddress) const;
  llvm::ArrayRef<MemoryAccess> of(mlir::Operation *op) const;
  /// Whether one of them writes what the other touches.
  bool conflict(llvm::ArrayRef<MemoryAccess> one, llvm::ArrayRef<MemoryAccess> other) const;
  bool mayAlias(mlir::Value root, mlir::Value other) const;
  /// Whether an op behind `from` and before `to` touches something that conflicts with `accesses`.
  bool conflictBetween(mlir::Operation *from, mlir::Operation *to, llvm::ArrayRef<MemoryAccess> accesses) const;

private:
  void addUsers(mlir::Value root, mlir::Value start);
  void addLoads(mlir::Operation *store, mlir::Value value);
  void add(mlir::Operation *op, MemoryAccess access);
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<MemoryAccess, 4>> accesses;
  llvm::DenseMap<mlir::Value, mlir::Value> sameCall; // result of a call -> that of the first call like it
};

} // namespace sparsec::codegen
