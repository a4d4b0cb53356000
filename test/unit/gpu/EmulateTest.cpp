// Kernels that the emulator cannot run, and what their records say.
#include "codegen/Emulate/Passes.h"
#include "codegen/GPU/Passes.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Pass/PassManager.h"
#include "test/unit/gpu/GpuRunner.h"
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

/// The complaint about a kernel of 32 threads that `body` writes.
std::string complaint(llvm::function_ref<void(KernelBuilder &)> body) {
  GpuRunner runner;
  KernelBuilder b(runner.module(), "test", "p", 32);
  body(b);
  b.finish();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&runner.context(), [&](mlir::Diagnostic &d) { message = d.str(); });
  mlir::PassManager passes(&runner.context());
  passes.addPass(createEmulateKernelsPass());
  EXPECT_TRUE(mlir::failed(passes.run(runner.module())));
  return message;
}

TEST(Emulate, UnknownOps) {
  EXPECT_EQ(complaint([](KernelBuilder &b) { mlir::gpu::LaneIdOp::create(b, nullptr); }),
            "`gpu.lane_id` is not known to the emulator");
  EXPECT_EQ(complaint([](KernelBuilder &b) {
              mlir::LLVM::AllocaOp::create(b, mlir::LLVM::LLVMPointerType::get(b.getContext()), b.getF32Type(),
                                           b.i64(1));
            }),
            "`llvm.alloca` is not known to the emulator");
  EXPECT_EQ(complaint([](KernelBuilder &b) { mlir::gpu::ThreadIdOp::create(b, mlir::gpu::Dimension::y); }),
            "grids and blocks have one dimension");
}

TEST(Emulate, NarrowShuffle) {
  EXPECT_EQ(complaint([](KernelBuilder &b) {
              mlir::gpu::ShuffleOp::create(b, b.f32(1), b.i32(1), b.i32(16), mlir::gpu::ShuffleMode::XOR);
            }),
            "a shuffle is of 32 bits, over all 32 lanes, and nobody asks whether it is valid");
}

TEST(Records, SayWhatTheKernelIs) {
  GpuRunner runner;
  runner.kernels().lookup(8, false, true);
  runner.kernels().step(
      8, sparsec::rec::RowWiseAdaGradAttr::get(&runner.context(), mlir::Builder(&runner.context()).getF64FloatAttr(0.1),
                                               mlir::Builder(&runner.context()).getF64FloatAttr(1e-8),
                                               mlir::Builder(&runner.context()).getF64FloatAttr(0), {}));
  runner.kernels().dotInteraction(4, 8, false);
  runner.compile();
  EXPECT_FALSE(runner.module().lookupSymbol("kernels")); // nothing else needs it
  const SparsecKernel &lookup = runner.kernel("lookup_sum_d8_split");
  EXPECT_STREQ(lookup.name, "lookup_sum_d8_split");
  EXPECT_EQ(lookup.arguments, 3);
  EXPECT_EQ(lookup.threads, 128);
  EXPECT_EQ(lookup.units, 64); // teams of two lanes
  EXPECT_EQ(lookup.shared, 0);
  EXPECT_EQ(lookup.waits, 0);
  EXPECT_EQ(lookup.chunk, 64);
  EXPECT_EQ(lookup.then, &runner.kernel("lookup_finish_d8"));
  EXPECT_NE(lookup.emulated, nullptr);
  EXPECT_EQ(lookup.then->then, nullptr);
  EXPECT_EQ(lookup.then->chunk, 0);
  EXPECT_EQ(runner.kernel("step_row_wise_adagrad_d8").waits, 0);
  EXPECT_EQ(runner.kernel("step_row_wise_adagrad_d8").then->waits, 1);
  const SparsecKernel &dot = runner.kernel("dot_interaction_n4_d8");
  EXPECT_GT(dot.units, 1);
  EXPECT_EQ(dot.waits, 1);
  EXPECT_EQ(dot.shared, dot.units * 4 * 9 * 4 + 4 * 8); // samples, inputs, columns and their padding; addresses
}

TEST(Records, KernelsWithoutEmulationStay) {
  GpuRunner runner;
  runner.kernels().combine(4);
  mlir::PassManager passes(&runner.context());
  passes.addPass(createKernelRecordsPass());
  ASSERT_TRUE(mlir::succeeded(passes.run(runner.module())));
  EXPECT_TRUE(runner.module().lookupSymbol("kernels"));
  EXPECT_TRUE(runner.module().lookupSymbol("kernel.combine_d4"));
}

} // namespace
