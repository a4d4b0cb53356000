// Dense kernels as machine code: they assemble for every architecture, keep everything in registers and read and write
// sixteen bytes at once where they can.
#include "codegen/Common/Passes.h"
#include "codegen/Emit/Compile.h"
#include "codegen/GPU/Images.h"
#include "codegen/GPU/Target.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "test/codegen/common/StepJit.h"
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::test;

namespace {

/// One of each kind of kernel: activation and gradient, dropout, loss, sums, columns, all optimizers.
std::string textOfAll() {
  StepText text{.widths = {8, 1, 4}};
  for (std::string rule : {"sgd<lr = 0.5 : f64>", "adagrad<lr = 0.5 : f64, eps = 1.0e-4 : f64, start = 0.0 : f64>",
                           "adam<lr = 0.5 : f64, beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-4 : f64>"})
    text.params.push_back({"tensor<8xf32>", "#rec." + rule});
  text.body = R"(
    %first = rec.first_sample : () -> i64
    %h = rec.activate %x0 {activation = #rec.activation<tanh>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %d = rec.dropout %h, %first, %step {rate = 0.4 : f64, stream = "s", seed = 42 : i64} : (tensor<?x8xf32>, i64, i64) -> tensor<?x8xf32>
    %r = rec.row_sum %d : (tensor<?x8xf32>) -> tensor<?x1xf32>
    %c = rec.concat %d, %x2 : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x12xf32>
    rec.output %c {task = @task.t0} : (tensor<?x12xf32>) -> ()
    %l = rec.bce %r, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
    rec.report %l : (f32) -> ()
    %lg = rec.bce_grad %r, %y, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
    %w = rec.broadcast_columns %lg : (tensor<?x1xf32>) -> tensor<?x8xf32>
    %g = rec.activate_grad %w, %h {activation = #rec.activation<tanh>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %s = rec.column_sum %g : (tensor<?x8xf32>) -> tensor<8xf32>
    %lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
)";
  for (int i = 0; i < 3; ++i)
    text.body +=
        "rec.apply %s, %lr, %step {param = @param.p" + std::to_string(i) + "} : (tensor<8xf32>, f32, i64) -> ()\n";
  return text.str();
}

/// Takes the kernels out of a program on its way through code generation.
struct TakeKernels : mlir::PassWrapper<TakeKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TakeKernels)
  explicit TakeKernels(mlir::OwningOpRef<mlir::gpu::GPUModuleOp> &taken) : taken(taken) {}
  void runOnOperation() override {
    taken = getOperation().lookupSymbol<mlir::gpu::GPUModuleOp>("kernels");
    taken->getOperation()->remove();
  }
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> &taken;
};

struct Target : codegen::DeviceTarget {
  explicit Target(mlir::OwningOpRef<mlir::gpu::GPUModuleOp> &kernels) : kernels(kernels) {}
  llvm::StringRef name() const override { return "test"; }
  void buildKernels(mlir::OpPassManager &pm) const override { pm.addPass(std::make_unique<TakeKernels>(kernels)); }
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> &kernels;
};

struct Lowered {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> kernels;
  Lowered() {
    mlir::DialectRegistry registry;
    codegen::registerCodegenDialects(registry);
    codegen::device::registerDeviceTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(textOfAll(), context.get());
    Target target(kernels);
    mlir::PassManager pm(context.get());
    codegen::buildCodegenPipeline(pm, target);
    if (!module || failed(pm.run(*module)))
      throw std::runtime_error("the step does not compile");
  }
};

TEST(DensePtx, Assembles) {
  std::string ptxas = codegen::device::findPtxas();
  if (ptxas.empty())
    GTEST_SKIP() << "there is no ptxas here";
  Lowered lowered;
  for (int arch : {80, 90, 100}) {
    auto ptx = codegen::device::emitPtx(*lowered.kernels, arch);
    ASSERT_TRUE(mlir::succeeded(ptx));
    auto assembly = codegen::device::assemblePtx(ptxas, *ptx, arch);
    ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
    EXPECT_GT(assembly->usage.size(), 8u);
    for (const codegen::device::KernelUsage &usage : assembly->usage) {
      EXPECT_EQ(usage.stack + usage.spillStores + usage.spillLoads, 0) << usage.kernel << " on sm_" << arch;
      EXPECT_LE(usage.registers, 64) << usage.kernel << " on sm_" << arch; // four blocks of 256 threads at once
    }
  }
}

TEST(DensePtx, WideAndExact) {
  Lowered lowered;
  auto ptx = codegen::device::emitPtx(*lowered.kernels, 90);
  ASSERT_TRUE(mlir::succeeded(ptx));
  EXPECT_NE(ptx->find("ld.global.nc.v4"), std::string::npos);
  EXPECT_NE(ptx->find("st.global.v4"), std::string::npos);
  EXPECT_EQ(ptx->find("fma.rn.f32"), std::string::npos);
  EXPECT_EQ(ptx->find(".local"), std::string::npos);
  EXPECT_EQ(ptx->find(".extern .func"), std::string::npos);
}

} // namespace
