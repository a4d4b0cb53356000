// Rows of floats shared out among lanes: the lanes of a warp that work on one row together.
#pragma once
#include "codegen/GPU/kernels/KernelBuilder.h"

namespace sparsec::codegen::device {

/// Columns of a row as vectors of `width` floats, as wide as its dim allows (16 bytes at most); vector v is of lane
/// v % lanes. A power of two of lanes, so that teams share warps.
struct RowTeam {
  explicit RowTeam(int64_t dim);
  /// With fewer lanes than vectors each has several.
  RowTeam(int64_t dim, int64_t lanes);
  int64_t dim, width, vectors, lanes;

  /// Vectors of a lane that are in registers at once: 16 floats.
  int64_t piecesAtOnce() const { return 16 / width; }
  /// Floats of a lane that are in registers at once.
  int64_t floatsAtOnce() const { return std::min(piecesAtOnce(), (vectors + lanes - 1) / lanes) * width; }
  int64_t teamsOf(int64_t threads) const { return threads / lanes; }
};

/// Some vectors of a row, those of one lane: vector `first` and each `team.lanes` further. The last one may lie behind
/// the row's end.
class LaneColumns {
public:
  LaneColumns(KernelBuilder &b, const RowTeam &team, int64_t pieces, mlir::Value first, bool partial)
      : team(team), pieces(pieces), b(b), first(first), partial(partial) {}

  const RowTeam &team;
  const int64_t pieces;
  mlir::Type type() const;
  mlir::Value zero() const;
  KernelBuilder::Values zeros() const { return KernelBuilder::Values(pieces, zero()); }
  mlir::Value spread(mlir::Value scalar) const;

  using Here = KernelBuilder::Here;
  /// Of the row at `row`, a multiple of the vectors' size; 0 behind the end.
  KernelBuilder::Values load(mlir::Value row, Memory, Here here = Here::current()) const;
  /// The same of a row of `element`s, as floats.
  KernelBuilder::Values loadAs(mlir::Type element, mlir::Value row, Memory, Here here = Here::current()) const;
  /// The same where `aligned` says at run time whether it is a multiple; null: it is.
  KernelBuilder::Values load(mlir::Value row, mlir::Value aligned, Memory, Here here = Here::current()) const;
  void store(mlir::ValueRange values, mlir::Value row, mlir::Value aligned, Here here = Here::current()) const;

private:
  mlir::Value place(mlir::Value row, int64_t piece, mlir::Type element = {}) const;
  bool isPartial(int64_t piece) const { return partial && piece + 1 == pieces; }
  mlir::Value isInside(int64_t piece) const;
  mlir::Value loadVector(mlir::Value from, mlir::Value aligned, Memory, Here) const;
  void storeVector(mlir::Value value, mlir::Value to, mlir::Value aligned, Here) const;
  KernelBuilder &b;
  mlir::Value first;
  bool partial;
};

/// All of a row: as many vectors as the registers hold, then the next ones. `lane` (i64) is that in the team.
using ColumnsBody = llvm::function_ref<KernelBuilder::Values(const LaneColumns &, mlir::ValueRange carried)>;
KernelBuilder::Values forEachBlock(KernelBuilder &, const RowTeam &, mlir::Value lane, mlir::ValueRange carried,
                                   ColumnsBody);
void forEachBlock(KernelBuilder &, const RowTeam &, mlir::Value lane, llvm::function_ref<void(const LaneColumns &)>);

/// The sum of a value over a team's lanes, in each of them, always added in the same order. All lanes of the warp come.
mlir::Value sumOfTeam(KernelBuilder &, const RowTeam &, mlir::Value value);
/// The sum of a vector's elements, from the first to the last.
mlir::Value sumOfVector(KernelBuilder &, mlir::Value vector);

/// Which unit of work this thread's team has, counted over the grid, and its lane there.
struct TeamUnit {
  TeamUnit(KernelBuilder &b, const RowTeam &team);
  mlir::Value unit, lane;
};
/// The entry of a fused launch that a unit belongs to: the last whose first field is at most `unit`; see device.h.
mlir::Value entryOf(KernelBuilder &, mlir::LLVM::LLVMStructType entry, mlir::Value list, mlir::Value n,
                    mlir::Value unit, int32_t firstField = 0);
/// Whether the list has such a unit: there are as many as the first field of entry `n` says.
mlir::Value hasUnit(KernelBuilder &, mlir::LLVM::LLVMStructType entry, mlir::Value list, mlir::Value n,
                    mlir::Value unit, int32_t firstField = 0);

/// Whether ids of policy `zero` have left a bag that has `length` now; `counts` may be null.
mlir::Value hasZeros(KernelBuilder &, mlir::Value counts, mlir::Value bag, mlir::Value length);

} // namespace sparsec::codegen::device
