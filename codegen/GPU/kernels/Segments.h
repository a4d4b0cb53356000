// Segments of equal keys among sorted occurrences: what steps, sweeps and sums share.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/LookupRows.h"

namespace sparsec::codegen::device {

/// Occurrences [from, to) of the sorted ones, and the sums of pieces of split segments.
class Segments {
public:
  /// `sorted`: a SparsecSorted.
  Segments(KernelBuilder &b, const RowTeam &team, mlir::Value sorted, mlir::Value partial);

  KernelBuilder &b;
  const RowTeam &team;
  mlir::Value keys, order, gradient, weight, from, to, partial;

  mlir::Value key(mlir::Value position) { return b.loadI64(keys, position); }
  /// Whether a segment begins at `position`.
  mlir::Value isHead(mlir::Value position);
  mlir::Value chunkOf(mlir::Value position) { return b.div(b.sub(position, from), chunkPositions); }
  mlir::Value chunkStart(mlir::Value chunk) { return b.add(from, b.mul(chunk, b.i64(chunkPositions))); }

  /// Where a segment ends: [head, end) where it lies in one chunk, else end is head and its pieces are those of chunks
  /// `chunk` to `lastChunk`.
  struct Extent {
    mlir::Value head, end, chunk, lastChunk;
    static Extent of(mlir::ValueRange values) { return {values[0], values[1], values[2], values[3]}; }
    KernelBuilder::Values values() const { return {head, end, chunk, lastChunk}; }
  };
  Extent extent(mlir::Value head);
  KernelBuilder::Values sum(const LaneColumns &, const Extent &);
  /// Positions [first, last) in order.
  KernelBuilder::Values sum(const LaneColumns &, mlir::Value first, mlir::Value last);

private:
  KernelBuilder::Values addRows(const LaneColumns &, mlir::Value position, int64_t count, mlir::ValueRange sum);
};

/// The kernel before those that finish segments: pieces of segments that lie in several chunks.
void sumPieces(KernelBuilder &, int64_t dim);
inline constexpr llvm::StringLiteral sumPiecesArguments = "pp";

} // namespace sparsec::codegen::device
