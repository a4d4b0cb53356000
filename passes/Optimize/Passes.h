// The optimize stage: fewer messages and sorts, and messages that travel while the rank computes.
#pragma once
#include "mlir/Pass/Pass.h"

namespace sparsec {

std::unique_ptr<mlir::Pass> createSplitInputPass();
std::unique_ptr<mlir::Pass> createFuseUpdatesPass();
std::unique_ptr<mlir::Pass> createBucketReducesPass();
std::unique_ptr<mlir::Pass> createOverlapExchangesPass();
std::unique_ptr<mlir::Pass> createCheckOrderPass();
void registerOptimizePasses();

} // namespace sparsec
