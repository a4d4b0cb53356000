// The partition stage: one whole-batch program becomes one program for every rank.
#pragma once
#include "mlir/Pass/Pass.h"

namespace sparsec {

std::unique_ptr<mlir::Pass> createPartitionPass();
std::unique_ptr<mlir::Pass> createFuseLookupsPass();
void registerPartitionPasses();

} // namespace sparsec
