// Functions of f32 out of plain arithmetic: loops over them vectorise, and since nothing is contracted or reassociated
// they give the same bits at every vector width and on every CPU.
#pragma once
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sparsec::codegen {

/// e^x within 1 unit of the last place; 0 below -104, infinity above 89.
mlir::Value emitExp(mlir::ImplicitLocOpBuilder &, mlir::Value x);
/// log(1 + x) for x in [0, 1], within 2 units of the last place.
mlir::Value emitLog1p(mlir::ImplicitLocOpBuilder &, mlir::Value x);
/// Within 1.5 units of the last place.
mlir::Value emitTanh(mlir::ImplicitLocOpBuilder &, mlir::Value x);
/// 1 / (1 + e^-x), stable: the exponential is taken of -|x| only.
mlir::Value emitSigmoid(mlir::ImplicitLocOpBuilder &, mlir::Value x);

} // namespace sparsec::codegen
