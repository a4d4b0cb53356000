// The stages of the compiler in order, each a pipeline of passes. Pipelines.cpp is the list.
#pragma once
#include "mlir/Pass/PassManager.h"

namespace sparsec {

/// A stage works on the module that the stages before it left; they hand over through the IR alone.
struct Stage {
  llvm::StringRef name, summary;
  void (*build)(mlir::OpPassManager &passes);
};

/// In the order in which they run.
llvm::ArrayRef<Stage> stages();

/// Adds all stages up to the one named, that one included. Fails if there is none of that name.
llvm::LogicalResult buildPipelineUpTo(mlir::OpPassManager &passes, llvm::StringRef stage);

/// No op may be left that one of the stages up to this one replaces.
std::unique_ptr<mlir::Pass> createCheckStagePass(llvm::StringRef after = {});

/// Every pass of every room, and a pipeline `rec-stage-NAME` for each stage.
void registerAllPasses();

} // namespace sparsec
