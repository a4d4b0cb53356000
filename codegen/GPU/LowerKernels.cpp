// Upstream's conversion to NVVM, with the holes it has closed before: it turns every math function into a call of
// libdevice, even roots and multiply-adds that the device has instructions for.
#include "codegen/GPU/LowerKernels.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace sparsec::codegen;

/// The intrinsic of a function that the device has instructions for, rounded as on the host; empty: it has none. A call
/// of it, since upstream makes a call of libdevice of LLVM dialect's own ops, too.
static StringRef intrinsicOf(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::SqrtOp) { return "llvm.sqrt"; })
      .Case([](math::FmaOp) { return "llvm.fma"; })
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Case([](math::CopySignOp) { return "llvm.copysign"; })
      .Default(StringRef());
}

static LogicalResult lowerMath(Operation *op) {
  StringRef intrinsic = intrinsicOf(op);
  if (intrinsic.empty())
    return op->emitError("`") << op->getName()
                              << "` has no exact form on the device; write it in plain arithmetic, as "
                                 "codegen/Common/FloatMath does";
  OpBuilder b(op);
  auto call = LLVM::CallIntrinsicOp::create(b, op->getLoc(), op->getResult(0).getType(), b.getStringAttr(intrinsic),
                                            op->getOperands());
  op->replaceAllUsesWith(call->getResults());
  op->erase();
  return success();
}

LogicalResult device::lowerKernels(ModuleOp module) {
  SmallVector<Operation *> math;
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()))
      math.push_back(op);
  });
  for (Operation *op : math)
    if (failed(lowerMath(op)))
      return failure();
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertGpuOpsToNVVMOps(options));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}
