// The lookup by bag with a fault planted in its IR: what comes out must differ from the right sums, or the emulator
// must say what is wrong.
#include "codegen/GPU/KernelNames.h"
#include "test/unit/gpu/GpuRunner.h"
#include <functional>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

constexpr int64_t dim = 4, rows = 8;
const std::vector<int64_t> offsets = {0, 3, 3, 5, 6, 10}, values = {1, 7, 2, 0, 0, 5, 3, 3, 4, 6};
const int64_t bags = int64_t(offsets.size()) - 1;

struct Offsets {
  mlir::LLVM::LoadOp from, to; // where a bag begins and ends
};
/// The two numbers that are loaded from one array whose address is loaded itself.
Offsets offsetsOf(mlir::gpu::GPUFuncOp kernel) {
  llvm::MapVector<mlir::Value, std::vector<mlir::LLVM::LoadOp>> byArray;
  kernel.walk([&](mlir::LLVM::LoadOp load) {
    auto element = load.getAddr().getDefiningOp<mlir::LLVM::GEPOp>();
    if (element && load.getType().isInteger(64) && element.getBase().getDefiningOp<mlir::LLVM::LoadOp>())
      byArray[element.getBase()].push_back(load);
  });
  for (auto &[array, loads] : byArray)
    if (loads.size() == 2)
      return {loads[0], loads[1]};
  throw std::runtime_error("the kernel does not load where a bag begins and ends");
}

using Plant = std::function<void(mlir::gpu::GPUFuncOp)>;

/// The sums of a kernel with this fault; or the emulator's words.
std::pair<std::vector<float>, std::string> pool(const Plant &plant) {
  GpuRunner runner;
  runner.kernels().lookup(dim, /*weighted=*/false, /*split=*/false);
  plant(*kernelModule(runner.module()).getOps<mlir::gpu::GPUFuncOp>().begin());
  runner.compile();
  std::vector<float> table(rows * dim);
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = float(i * i);
  TestDevice device;
  float *out = device.floats(bags * dim);
  std::vector<SparsecLookupEntry> list(2);
  list[0] = {0, 0, device.put(offsets), device.put(values), nullptr, device.put(table), 0, out};
  list[1].first = bags;
  Status status = device.run(runner.kernel("lookup_sum_d4"), bags, device.put(list), int64_t(1));
  return {taken(out, bags * dim), status.message()};
}

std::vector<float> rightSums() {
  std::vector<float> sums(bags * dim);
  for (int64_t bag = 0; bag < bags; ++bag)
    for (int64_t k = offsets[bag]; k < offsets[bag + 1]; ++k)
      for (int64_t c = 0; c < dim; ++c) {
        int64_t place = values[k] * dim + c;
        sums[bag * dim + c] += float(place * place);
      }
  return sums;
}

void expectCaught(const Plant &plant) {
  auto [sums, words] = pool(plant);
  EXPECT_TRUE(!words.empty() || sums != rightSums());
}

TEST(Mutants, NoFault) {
  auto [sums, words] = pool([](mlir::gpu::GPUFuncOp) {});
  EXPECT_EQ(words, "");
  EXPECT_EQ(sums, rightSums());
}

TEST(Mutants, WrongSegmentEnd) {
  expectCaught([](mlir::gpu::GPUFuncOp kernel) {
    auto to = offsetsOf(kernel).to;
    mlir::ImplicitLocOpBuilder b(to.getLoc(), to->getBlock(), std::next(to->getIterator()));
    mlir::Value one = mlir::arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
    mlir::Value less = mlir::arith::SubIOp::create(b, to.getResult(), one);
    to.getResult().replaceAllUsesExcept(less, less.getDefiningOp());
  });
}

TEST(Mutants, SwappedIndex) {
  expectCaught([](mlir::gpu::GPUFuncOp kernel) {
    auto [from, to] = offsetsOf(kernel);
    std::vector<mlir::OpOperand *> begins, ends;
    for (mlir::OpOperand &use : from.getResult().getUses())
      begins.push_back(&use);
    for (mlir::OpOperand &use : to.getResult().getUses())
      ends.push_back(&use);
    for (mlir::OpOperand *use : begins)
      use->set(to.getResult());
    for (mlir::OpOperand *use : ends)
      use->set(from.getResult());
  });
}

TEST(Mutants, OffByOneBound) {
  expectCaught([](mlir::gpu::GPUFuncOp kernel) {
    mlir::arith::CmpIOp bound; // of the bags: the first comparison
    kernel.walk([&](mlir::arith::CmpIOp compare) {
      if (!bound)
        bound = compare;
    });
    ASSERT_TRUE(bound);
    bound.setPredicate(mlir::arith::CmpIPredicate::sle);
  });
}

} // namespace
