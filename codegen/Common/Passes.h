// From one rank's `rec` program to LLVM dialect: the passes and their order.
#pragma once
#include "codegen/Common/Embedding/KernelSet.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace sparsec::codegen {

/// `func.func @train(%step: i64)` becomes `func.func @train(%context: !llvm.ptr, %step: i64) -> i32`, for all functions
/// with the attribute `rec.entry`.
std::unique_ptr<mlir::Pass> createEntryAbiPass();
/// Embedding ops and collectives to runtime calls and the kernels of a target; see Embedding/LowerEmbedding.cpp.
std::unique_ptr<mlir::Pass> createLowerEmbeddingPass(MakeKernelSet, llvm::StringRef name = "rec-lower-embedding");
/// Dense ops, losses and the step's ops (inputs, parameters, updates, results) to linalg, arith and runtime calls.
std::unique_ptr<mlir::Pass> createLowerDensePass();
/// Buffers bounded by the batch go into one arena per entry point, the others into the runtime's pool.
std::unique_ptr<mlir::Pass> createMemoryPlanPass();
/// Structured ops on buffers to loops; element-wise ones on contiguous buffers to one loop.
std::unique_ptr<mlir::Pass> createLoopsPass();
/// Independent loops over samples or elements: a body function and a call of sparsec_parallel.
std::unique_ptr<mlir::Pass> createParallelizePass();
/// Marked calls leave the entry point when they fail.
std::unique_ptr<mlir::Pass> createCheckStatusPass();
/// Everything left to LLVM dialect, in one conversion.
std::unique_ptr<mlir::Pass> createLowerToLLVMPass();
/// No op of `rec` or `comm` in a function; with `onlyLLVM` nothing but LLVM dialect.
std::unique_ptr<mlir::Pass> createCheckLoweredPass(bool onlyLLVM);

void registerCodegenCommonPasses();

/// Dialects that the pipeline makes, with the external models (bufferization) that it needs.
void registerCodegenDialects(mlir::DialectRegistry &registry);

class Target;
/// The first half: steps as calls of the runtime on buffers that have their places. `target` must outlive the pass
/// manager.
void buildStepsPipeline(mlir::OpPassManager &, const Target &target);
/// What is left then of kernels and of the host to LLVM dialect.
void buildKernelsPipeline(mlir::OpPassManager &, const Target &target);
/// All of it.
void buildCodegenPipeline(mlir::OpPassManager &, const Target &target);

} // namespace sparsec::codegen
