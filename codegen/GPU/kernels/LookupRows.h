// What lookups by bag and split ones share: rows of a table, summed in order of positions.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"
#include "codegen/GPU/kernels/Schedule.h"

namespace sparsec::codegen::device {

class LookupRows {
public:
  /// `entry`: a SparsecLookupEntry; `rowsInFlight` at most.
  LookupRows(KernelBuilder &b, const RowTeam &team, RowElement element, int64_t rowsInFlight, mlir::Value entry);

  KernelBuilder &b;
  const RowTeam &team;
  const int64_t rowsInFlight;
  mlir::Type element; // of a row
  mlir::Value entry, first, offsets, values, weights, table, out;

  /// The sum of positions [from, to).
  KernelBuilder::Values sum(const LaneColumns &, mlir::Value from, mlir::Value to, bool weighted);
  /// `body` once where the class has no weights, else for both: an entry may have none.
  void withWeights(bool weighted, llvm::function_ref<void(bool weighted)> body);

private:
  /// Adds the rows of `count` positions, loaded together, to `sum`.
  KernelBuilder::Values addRows(const LaneColumns &, mlir::Value position, int64_t count, mlir::ValueRange sum,
                                bool weighted);
};

/// Positions whose rows are loaded together: up to 32 floats of a lane.
int64_t rowsInFlight(const LaneColumns &);
/// As many blocks of 128 threads as have room for their sums and the rows in flight: 40, 48, 64 or 128 registers.
int32_t residentBlocks(const RowTeam &, bool weighted);
/// The same for kernels that search and branch more between rows: 72, 96 or 168 registers.
int32_t fewerResidentBlocks(const RowTeam &);

/// Positions of a chunk where long bags and segments are split: enough rows that finding the chunk's bag does not
/// count, few enough that the longest bag does not hold up the others.
inline constexpr int64_t chunkPositions = 64;
/// partial[chunk, slot, :]; slot 0 or 1, see device.h.
mlir::Value partialRow(KernelBuilder &, mlir::Value partial, mlir::Value chunk, int64_t slot, int64_t dim);

} // namespace sparsec::codegen::device
