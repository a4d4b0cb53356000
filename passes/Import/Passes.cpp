#include "passes/Import/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace sparsec {

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace

void buildImportPipeline(mlir::OpPassManager &passes) { passes.addPass(createDeriveEntries()); }

void registerImportPasses() { registerImportPassesPasses(); }

} // namespace sparsec
