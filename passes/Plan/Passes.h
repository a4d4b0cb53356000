// The plan stage: who holds what.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sparsec {

std::unique_ptr<mlir::Pass> createPlanShardingPass();
void registerPlanPasses();

} // namespace sparsec
