// The differentiate stage: rec.minimize becomes gradients and updates.
#pragma once
#include "mlir/Pass/Pass.h"

namespace sparsec {

std::unique_ptr<mlir::Pass> createDifferentiatePass();
void registerDifferentiatePasses();

} // namespace sparsec
