// The order of code generation, for every target.
#include "codegen/Common/Passes.h"
#include "codegen/Common/Target.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace sparsec;

void codegen::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<rec::RecDialect, comm::CommDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
}

/// Runtime calls on tensors: what a rank does in a step, on values.
static void buildLowering(OpPassManager &pm, const codegen::Target &target) {
  pm.addPass(codegen::createEntryAbiPass());
  pm.addPass(codegen::createLowerEmbeddingPass([&target](ModuleOp module) { return target.makeKernels(module); }));
  target.buildDense(pm);
  pm.addPass(codegen::createLowerDensePass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
  // No CSE here: of two calls that take a tensor's address, the second would take it where the first does, and
  // bufferization would not see it read there: it may write something else into that buffer in between.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(codegen::createCheckLoweredPass(/*onlyLLVM=*/false));
}

/// Values to buffers, buffers to places.
static void buildBuffers(OpPassManager &pm, const codegen::Target &target) {
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCanonicalizerPass()); // extents become those of the allocations
  pm.addPass(createCSEPass());
  target.buildBuffers(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(codegen::createCheckStatusPass());
}

void codegen::buildKernelsPipeline(OpPassManager &pm, const Target &target) {
  target.buildKernels(pm);
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToLLVMPass()); // needs loops: before they go
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(codegen::createLowerToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(codegen::createCheckLoweredPass(/*onlyLLVM=*/true));
}

void codegen::buildStepsPipeline(OpPassManager &pm, const Target &target) {
  buildLowering(pm, target);
  buildBuffers(pm, target);
}

void codegen::buildCodegenPipeline(OpPassManager &pm, const Target &target) {
  buildStepsPipeline(pm, target);
  buildKernelsPipeline(pm, target);
}

void codegen::registerCodegenCommonPasses() {
  for (auto create : {createEntryAbiPass, createLowerDensePass, createMemoryPlanPass, createLoopsPass,
                      createParallelizePass, createCheckStatusPass, createLowerToLLVMPass})
    registerPass([create] { return create(); });
  registerPass([] { return createCheckLoweredPass(/*onlyLLVM=*/false); });
}
