// What the dot interaction and its gradient share: a warp for each sample, its inputs' rows in shared memory.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

namespace sparsec::codegen::device {

/// Shared memory for rows: a block may have 48 KiB without asking for more, and the matrices' addresses are there, too.
inline constexpr int64_t sharedBytes = 44 << 10;

/// The pairs (i, j), j < i, or j <= i with `self`, in this order.
struct Pairs {
  int64_t inputs;
  bool self;
  int64_t count() const { return inputs * (inputs - 1) / 2 + (self ? inputs : 0); }
  /// The number of pair (i, 0).
  mlir::Value rowStart(KernelBuilder &b, mlir::Value i) const {
    return b.div(b.mul(i, b.add(i, b.i64(self ? 1 : -1))), 2);
  }
};

/// Some columns of all inputs of the samples of a block, in shared memory: [sample][input][stride].
class StagedInputs {
public:
  /// `columns` at once of rows of `dim`; `width` floats are loaded together. `samples`: warps of the block. Argument 1
  /// of the kernel is the number of samples, those behind it are `matrices` addresses, the inputs' first.
  StagedInputs(KernelBuilder &b, int64_t inputs, int64_t matrices, int64_t dim, int64_t columns, int64_t width,
               int64_t samples);
  /// Floats of a row in shared memory: lanes that read different rows at once do not meet in a bank.
  static int64_t strideOf(int64_t columns, int64_t width) { return columns / width % 2 ? columns : columns + width; }
  static int64_t bytes(int64_t inputs, int64_t columns, int64_t width) {
    return inputs * strideOf(columns, width) * int64_t(sizeof(float));
  }
  /// Warps of a block, four at most, that have room.
  static int64_t samplesOf(int64_t bytes) { return bytes * 4 <= sharedBytes ? 4 : bytes * 2 <= sharedBytes ? 2 : 1; }

  mlir::Type vector();
  mlir::Value sample, lane, active; // of this thread; whether there is such a sample

  /// Where column `column` of this thread's sample is in a matrix [samples, dim].
  mlir::Value place(mlir::Value matrix, mlir::Value column);
  /// Columns [first, first + count) of the inputs; `count` is static. All threads of the block come, and have all
  /// columns when they go on.
  void stage(mlir::Value first, int64_t count);
  /// All threads are through with what is staged.
  void release() { b.barrier(); }
  mlir::Value load(mlir::Value input, mlir::Value column);

private:
  KernelBuilder &b;
  int64_t inputs, dim, columns, width;
  mlir::Value addresses, memory; // of all matrices; this warp's rows
};

} // namespace sparsec::codegen::device
