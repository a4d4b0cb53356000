#include "passes/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Import/Passes.h"

using namespace sparsec;

llvm::ArrayRef<Stage> sparsec::stages() {
  static const Stage list[] = {
      {"import", "the model as it was written, with the entry points train, eval and predict", buildImportPipeline},
  };
  return list;
}

llvm::LogicalResult sparsec::buildPipelineUpTo(mlir::OpPassManager &passes, llvm::StringRef name) {
  auto all = stages();
  const auto *last = llvm::find_if(all, [&](const Stage &stage) { return stage.name == name; });
  if (last == all.end())
    return llvm::failure();
  for (const Stage *stage = all.begin(); stage <= last; ++stage)
    stage->build(passes);
  return llvm::success();
}

void sparsec::registerAllPasses() {
  registerImportPasses();
  for (const Stage &stage : stages())
    mlir::registerPassPipeline(
        ("rec-stage-" + stage.name).str(), stage.summary,
        [build = stage.build](mlir::OpPassManager &passes, llvm::StringRef, llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>) {
          build(passes);
          return llvm::success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}
