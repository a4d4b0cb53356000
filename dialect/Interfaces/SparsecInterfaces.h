// The questions passes ask: of an op (how it differentiates, how it treats the batch) and of an optimizer.
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include <string>

namespace sparsec {

enum class BatchRole { perSample, reduces };

/// An op whose results are facts of this rank's batch, there to be read at any time: cheaper to ask again than to hand
/// on.
template <typename OpT> class ReadsBatch : public mlir::OpTrait::TraitBase<OpT, ReadsBatch> {};

/// One piece of optimizer state: a number for each element or for each row.
struct OptimizerState {
  llvm::StringRef name; // as in checkpoints: `<parameter>/<rule>.<name>`
  bool perRow = false;
  double start = 0;
};

/// What one optimizer step reads; see OptimizerAttrInterface::emitUpdate.
struct UpdateInputs {
  mlir::Value weight, gradient;
  llvm::SmallVector<mlir::Value> states;
  mlir::Value rowNorm, learningRate, step;
};

} // namespace sparsec

#include "dialect/Interfaces/SparsecAttrInterfaces.h.inc"
#include "dialect/Interfaces/SparsecOpInterfaces.h.inc"
