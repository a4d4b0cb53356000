// Passes of the import stage: what Passes.td lists.
#pragma once
#include "mlir/Pass/Pass.h"

namespace sparsec {

#define GEN_PASS_DECL
#include "passes/Import/Passes.h.inc"

/// What --emit=import shows, from the imported module on.
void buildImportPipeline(mlir::OpPassManager &passes);

void registerImportPasses();

} // namespace sparsec
