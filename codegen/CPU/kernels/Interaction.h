// The triangle of pairs that the dot interaction and its gradient work on, in tiles of 4 x 4 inputs.
#pragma once
#include "codegen/CPU/kernels/KernelBuilder.h"

namespace sparsec::codegen {

struct Triangle {
  int64_t inputs;
  bool self;

  int64_t pairs() const { return inputs * (inputs - 1) / 2 + (self ? inputs : 0); }
  /// Place of pair (i, 0).
  mlir::Value rowStart(KernelBuilder &b, mlir::Value i) const {
    mlir::Value twice = b.mul(i, self ? b.add(i, b.i64(1)) : b.sub(i, b.i64(1)));
    return mlir::arith::ShRUIOp::create(b, twice, b.i64(1));
  }
};

inline constexpr int64_t tile = 4;

/// The tiles of the inputs: `body(first, count)`; full ones in a loop, then what is left over.
void forEachTile(KernelBuilder &b, int64_t inputs, llvm::function_ref<void(mlir::Value first, int64_t count)> body);

} // namespace sparsec::codegen
