// How long a buffer is in use, also through views, addresses and what runtime calls may keep.
#pragma once
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace sparsec::codegen {

class BufferLiveness {
public:
  /// Numbers the ops of a function's only block, straight-line code.
  explicit BufferLiveness(mlir::Block &block);
  /// The last position at which `buffer`, something made of it, or something that may hold its address is used. A call
  /// that gets its address may keep it in its result and in stack slots among its arguments, and nowhere else.
  int64_t lastUse(mlir::Value buffer) const;
  int64_t position(mlir::Operation *op) const;

private:
  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
};

} // namespace sparsec::codegen
