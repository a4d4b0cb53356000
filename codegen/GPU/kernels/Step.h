// One optimizer step of a row by a team of lanes.
#pragma once
#include "codegen/GPU/kernels/Segments.h"

namespace sparsec::codegen::device {

class RowStep {
public:
  /// `hyper`: a SparsecHyper.
  RowStep(Segments &of, OptimizerAttrInterface optimizer, mlir::Value hyper);

  /// What the gradient of a row is: its segment, or none (`extent` of no positions).
  struct Row {
    mlir::Value active; // whether this team has a row at all
    mlir::Value entry;  // a SparsecUpdateEntry, if active
    mlir::Value row;    // local
    Segments::Extent extent;
  };
  /// All threads of the block come here, if the optimizer needs them to.
  void update(const Row &, mlir::Value lane);

private:
  mlir::Value hyperField(int32_t index);
  mlir::Value columnsOf(size_t field, const Row &);
  KernelBuilder::Values gradient(const LaneColumns &, const Segments::Extent &);
  mlir::Value norm(const Row &, mlir::Value lane);
  KernelBuilder::Values rowStates(const Row &, mlir::Value lane);
  void updateColumns(const LaneColumns &, const Row &, mlir::Value lane, mlir::Value norm, mlir::ValueRange rowStates);

  Segments &of;
  KernelBuilder &b;
  OptimizerAttrInterface optimizer;
  llvm::SmallVector<OptimizerState> states;
  mlir::Value hyper;
};

/// Arguments of kernels that step: list, n, sorted, partial, hyper.
inline constexpr llvm::StringLiteral stepArguments = "plppp";

} // namespace sparsec::codegen::device
