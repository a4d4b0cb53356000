// Kernels as machine code: what they need on a device, against test/codegen/gpu/kernel-budget.txt.
#include "codegen/GPU/Images.h"
#include "test/unit/gpu/GpuRunner.h"
#include "test/unit/kernels/OptimizerReference.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace sparsec::codegen::device;

namespace {

/// Most registers, bytes of shared memory and of stack, by architecture and kernel.
struct Budget {
  int registers = 0;
  int64_t shared = 0, stack = 0;
};
std::map<std::pair<int, std::string>, Budget> readBudget() {
  std::map<std::pair<int, std::string>, Budget> budget;
  std::ifstream file(SPARSEC_SOURCE_DIR "/test/codegen/gpu/kernel-budget.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int arch;
    std::string kernel;
    Budget most;
    if (words >> arch >> kernel >> most.registers >> most.shared >> most.stack)
      budget[{arch, kernel}] = most;
  }
  return budget;
}

void buildInteractionsAndPooling(GpuKernels &kernels) {
  kernels.bagScale();
  for (int64_t dim : {3, 128, 1024})
    for (bool max : {false, true}) {
      kernels.poolRows(dim, max);
      kernels.poolRowsGrad(dim, max);
    }
  for (auto [inputs, dim] : {std::pair(9, 31), {27, 16}, {27, 128}}) {
    kernels.dotInteraction(inputs, dim, /*self=*/false);
    kernels.dotInteractionGrad(inputs, dim, /*self=*/false);
  }
}

/// The kernels of the budget.
void buildAll(GpuRunner &runner) {
  GpuKernels &kernels = runner.kernels();
  for (int64_t dim : {1, 3, 128, 129, 1024}) {
    for (bool weighted : {false, true})
      for (const Schedule &schedule : schedulesOf({dim, weighted}))
        kernels.lookup({dim, weighted}, schedule);
    kernels.combine(dim);
    kernels.segmentSum(dim);
  }
  for (sparsec::codegen::RowElement element : {sparsec::codegen::RowElement::f16, sparsec::codegen::RowElement::bf16}) {
    sparsec::codegen::LookupClass of{128, false, 0, element};
    for (bool split : {false, true})
      kernels.lookup(of, usualSchedule(of, split));
  }
  auto optimizer = [&](const char *rule) { return sparsec::codegen::optimizer(runner.context(), rule); };
  for (const char *rule : sparsec::codegen::rules)
    kernels.step(128, optimizer(rule));
  kernels.step(1024, optimizer("row_wise_adagrad"));
  kernels.sweep(100, optimizer("adam"));
  kernels.copyRows();
  kernels.rowKeys();
  buildInteractionsAndPooling(kernels);
}

struct Built {
  GpuRunner runner;
  Built() { buildAll(runner); }
  mlir::gpu::GPUModuleOp module() { return kernelModule(runner.module()); }
};

TEST(Ptx, AssemblesWithinTheBudget) {
  std::string ptxas = findPtxas();
  if (ptxas.empty())
    GTEST_SKIP() << "there is no ptxas here";
  Built built;
  auto budget = readBudget();
  std::ostringstream found;
  for (int arch : {80, 90, 100}) {
    auto ptx = emitPtx(built.module(), arch);
    ASSERT_TRUE(mlir::succeeded(ptx));
    if (const char *file = std::getenv("SPARSEC_DUMP_PTX"))
      std::ofstream(file + std::to_string(arch)) << *ptx;
    auto assembly = assemblePtx(ptxas, *ptx, arch);
    ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
    EXPECT_EQ(assembly->cubin.substr(1, 3), "ELF");
    for (const KernelUsage &usage : assembly->usage) {
      found << arch << ' ' << usage.kernel << ' ' << usage.registers << ' ' << usage.shared << ' ' << usage.stack
            << '\n';
      auto most = budget.find({arch, usage.kernel});
      if (most == budget.end()) {
        ADD_FAILURE() << "`" << usage.kernel << "` for sm_" << arch << " is not in the budget";
        continue;
      }
      EXPECT_LE(usage.registers, most->second.registers) << usage.kernel << " on sm_" << arch;
      EXPECT_LE(usage.shared, most->second.shared) << usage.kernel << " on sm_" << arch;
      EXPECT_LE(usage.stack, most->second.stack) << usage.kernel << " on sm_" << arch;
      EXPECT_EQ(usage.spillStores + usage.spillLoads, 0) << usage.kernel << " on sm_" << arch;
    }
  }
  if (HasFailure() || std::getenv("SPARSEC_PRINT_BUDGET"))
    std::cout << "what the kernels need now:\n" << found.str();
}

/// The text of one kernel.
std::string kernelText(const std::string &ptx, const std::string &name) {
  size_t begin = ptx.find(".entry " + name + "("), end = ptx.find("\n}", begin);
  return begin == std::string::npos ? "" : ptx.substr(begin, end - begin);
}

TEST(Ptx, LookupReadsSixteenBytesAtOnce) {
  Built built;
  auto ptx = emitPtx(built.module(), 90);
  ASSERT_TRUE(mlir::succeeded(ptx));
  EXPECT_EQ(ptx->find(".extern .func"), std::string::npos);
  EXPECT_EQ(ptx->find(".local"), std::string::npos);
  std::string text = kernelText(*ptx, "lookup_sum_d128");
  EXPECT_NE(text.find("ld.global.nc.v4"), std::string::npos) << text;
  EXPECT_NE(text.find("st.global.v4"), std::string::npos) << text;
  EXPECT_EQ(text.find("fma.rn.f32"), std::string::npos) << text;
  EXPECT_NE(text.find(".maxntid 128"), std::string::npos) << text;
}

TEST(Ptx, UnknownArchitecture) {
  Built built;
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&built.runner.context(), [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(mlir::failed(emitPtx(built.module(), 61)));
  EXPECT_EQ(message, "unknown architecture `sm_61`; expected one of 80, 86, 89, 90, 100, 120");
}

TEST(Ptx, MathWithoutAnExactForm) {
  GpuRunner runner;
  KernelBuilder b(runner.module(), "test", "p", 32);
  mlir::Value x = b.load(b.getF32Type(), b.argument(0));
  b.store(mlir::math::ExpOp::create(b, x), b.argument(0));
  b.finish();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&runner.context(), [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(mlir::failed(emitPtx(kernelModule(runner.module()), 90)));
  EXPECT_NE(message.find("`math.exp` has no exact form on the device"), std::string::npos) << message;
}

TEST(Ptx, DivisionsAndRootsAreExactAndNothingIsContracted) {
  GpuRunner runner;
  KernelBuilder b(runner.module(), "test", "ppl", 32);
  mlir::Value x = b.load(b.getF32Type(), b.argument(0)), y = b.load(b.getF32Type(), b.argument(1));
  mlir::Value quotient = mlir::arith::DivFOp::create(b, x, y), root = mlir::math::SqrtOp::create(b, x);
  b.store(mlir::arith::AddFOp::create(b, mlir::arith::MulFOp::create(b, quotient, root), y), b.argument(0));
  b.finish();
  auto ptx = emitPtx(kernelModule(runner.module()), 90);
  ASSERT_TRUE(mlir::succeeded(ptx));
  for (const char *wanted : {"div.rn.f32", "sqrt.rn.f32", "mul.rn.f32", "add.rn.f32"})
    EXPECT_NE(ptx->find(wanted), std::string::npos) << wanted << " is not in\n" << *ptx;
  EXPECT_EQ(ptx->find("fma"), std::string::npos) << *ptx;
}

} // namespace
