#include "passes/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Differentiate/Passes.h"
#include "passes/Import/Passes.h"
#include "passes/Optimize/Passes.h"
#include "passes/Partition/Passes.h"
#include "passes/Plan/Passes.h"

using namespace sparsec;
using mlir::OpPassManager;

/// What holds wherever a stage ends that makes collectives or moves them: the same order on every rank, nothing left.
static void addChecks(OpPassManager &passes, llvm::StringRef stage) {
  passes.addNestedPass<mlir::func::FuncOp>(createCheckOrderPass());
  passes.addPass(createCheckStagePass(stage));
}

static void buildPlanPipeline(OpPassManager &passes) { passes.addPass(createPlanShardingPass()); }

static void buildPartitionPipeline(OpPassManager &passes) {
  passes.addPass(createPartitionPass());
  passes.addPass(mlir::createCSEPass()); // one ids, one handle for each table, before lookups are gathered
  passes.addNestedPass<mlir::func::FuncOp>(createFuseLookupsPass());
  addChecks(passes, "partition");
}

static void buildDifferentiatePipeline(OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createDifferentiatePass());
  passes.addPass(mlir::createCanonicalizerPass()); // gradients that nobody reads
  addChecks(passes, "differentiate");
}

static void buildOptimizePipeline(OpPassManager &passes) {
  passes.addPass(createSplitInputPass());
  passes.addNestedPass<mlir::func::FuncOp>(createFuseUpdatesPass());
  passes.addNestedPass<mlir::func::FuncOp>(createBucketReducesPass());
  passes.addNestedPass<mlir::func::FuncOp>(createOverlapExchangesPass());
  passes.addPass(mlir::createCSEPass());
  addChecks(passes, "optimize");
}

llvm::ArrayRef<Stage> sparsec::stages() {
  static const Stage list[] = {
      {"import", "the model as it was written, with the entry points train, eval and predict", buildImportPipeline},
      {"plan", "every table has parts and owners, the ranks a mesh", buildPlanPipeline},
      {"partition", "one program for every rank, with its collectives", buildPartitionPipeline},
      {"differentiate", "gradients and updates in place of rec.minimize", buildDifferentiatePipeline},
      {"optimize", "input entries that run a batch ahead, fewer messages and sorts, messages that overlap with work",
       buildOptimizePipeline},
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
  registerPlanPasses();
  registerPartitionPasses();
  registerDifferentiatePasses();
  registerOptimizePasses();
  mlir::registerPass([] { return createCheckStagePass(); });
  for (const Stage &stage : stages())
    mlir::registerPassPipeline(("rec-stage-" + stage.name).str(), stage.summary,
                               [build = stage.build](mlir::OpPassManager &passes, llvm::StringRef,
                                                     llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>) {
                                 build(passes);
                                 return llvm::success();
                               },
                               [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}
