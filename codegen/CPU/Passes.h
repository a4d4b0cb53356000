// Code generation for the CPU: embedding ops and collectives become runtime calls and class kernels.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace sparsec {

/// rec-lower-embedding; see LowerEmbedding.cpp.
std::unique_ptr<mlir::Pass> createLowerEmbeddingPass();

void registerCodegenCPUPasses();

} // namespace sparsec
