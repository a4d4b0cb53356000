// Kernels with a planted fault each: the emulator must name it, with the place.
#include "test/unit/gpu/GpuRunner.h"
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// One kernel `test(p: floats, q: floats, n)` of 64 threads, compiled.
struct Planted {
  GpuRunner runner;
  TestDevice device;
  float *p, *q;

  explicit Planted(llvm::function_ref<void(KernelBuilder &)> body) {
    KernelBuilder b(runner.module(), "test", "ppl", 64);
    body(b);
    b.finish();
    runner.compile();
    p = device.put(std::vector<float>(256, 1.0f));
    q = device.put(std::vector<float>(256, 2.0f));
  }
  std::string run(int64_t blocks = 1, EmulationOrder order = {}) {
    static_cast<EmulatedPlace &>(*device.place).setOrder(order);
    return device.launch(runner.kernel("test"), blocks, p, q, int64_t(256)).message();
  }
  /// The same complaint in every order.
  void expect(const std::string &what, int64_t blocks = 1) {
    for (EmulationOrder order : orders()) {
      std::string message = run(blocks, order);
      EXPECT_NE(message.find(what), std::string::npos) << "got: " << message;
      EXPECT_NE(message.find("test/unit/gpu/FaultTest.cpp:"), std::string::npos) << "got: " << message;
      EXPECT_NE(message.find("kernel `test`"), std::string::npos) << "got: " << message;
    }
  }
};

mlir::Type f32(KernelBuilder &b) { return b.getF32Type(); }

/// Reverses a block's floats through shared memory.
void reverse(KernelBuilder &b, bool withBarrier) {
  mlir::Value thread = b.thread(), memory = b.shared(64 * 4);
  b.store(b.load(f32(b), b.argument(0), thread), memory, thread);
  if (withBarrier)
    b.barrier();
  b.store(b.load(f32(b), memory, b.sub(b.i64(63), thread)), b.argument(1), thread);
}

TEST(EmulatorFaults, NothingWrong) {
  Planted test([](KernelBuilder &b) { reverse(b, true); });
  for (int i = 0; i < 64; ++i)
    test.p[i] = float(i);
  for (EmulationOrder order : orders()) {
    std::fill(test.q, test.q + 64, 0.0f);
    EXPECT_EQ(test.run(1, order), "");
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(test.q[i], float(63 - i));
  }
  EXPECT_EQ(test.run(0), "");
}

TEST(EmulatorFaults, DeletedBarrier) {
  Planted test([](KernelBuilder &b) { reverse(b, false); });
  for (EmulationOrder order : orders()) { // it depends on the order which of two things is seen first
    std::string message = test.run(1, order);
    EXPECT_TRUE(message.find("that no thread of its block has written") != std::string::npos ||
                message.find("touches between the same barriers") != std::string::npos)
        << message;
  }
}

TEST(EmulatorFaults, UninitialisedSharedMemory) {
  Planted test([](KernelBuilder &b) {
    mlir::Value memory = b.shared(64 * 4);
    b.ifThen(b.less(b.thread(), b.i64(63)), [&] { b.store(b.f32(1), memory, b.thread()); });
    b.barrier();
    b.store(b.load(f32(b), memory, b.thread()), b.argument(1), b.thread());
  });
  test.expect("thread 63: reads shared memory that no thread of its block has written");
}

TEST(EmulatorFaults, OffByOne) {
  Planted test([](KernelBuilder &b) {
    mlir::Value i = b.add(b.mul(b.block(), b.i64(64)), b.thread());
    b.ifThen(b.compare(mlir::arith::CmpIPredicate::sle, i, b.argument(2)),
             [&] { b.store(b.f32(0), b.argument(0), i); });
  });
  test.expect("block 4, thread 0: writes 4 bytes outside of the device's memory", 5);
}

TEST(EmulatorFaults, SharedMemoryBehindItsEnd) {
  Planted test([](KernelBuilder &b) { b.store(b.f32(0), b.shared(64 * 4), b.add(b.thread(), b.i64(1))); });
  test.expect("thread 63: writes 4 bytes outside");
}

TEST(EmulatorFaults, MisalignedVector) {
  Planted test([](KernelBuilder &b) {
    mlir::Type vector = mlir::VectorType::get({4}, f32(b));
    mlir::Value from = b.floatAt(b.argument(0), b.i64(2)); // 8 bytes into an aligned block
    b.store(b.load(vector, from), b.argument(1));
  });
  test.expect("reads 16 bytes at an address that is no multiple of 16");
}

TEST(EmulatorFaults, TwoBlocksWrite) {
  Planted test([](KernelBuilder &b) {
    b.ifThen(b.equal(b.thread(), b.i64(0)), [&] { b.store(b.f32(0), b.argument(0), b.div(b.block(), 2)); });
  });
  test.expect("of the same launch touches", 4);
  EXPECT_EQ(test.run(1), "");
}

TEST(EmulatorFaults, OneBlockReadsWhatAnotherWrites) {
  Planted test([](KernelBuilder &b) {
    mlir::Value i = b.add(b.mul(b.block(), b.i64(64)), b.thread());
    mlir::Value next = b.rem(b.add(i, b.i64(1)), 256);
    b.store(b.load(f32(b), b.argument(0), next), b.argument(0), i); // also within a block, which is another fault
  });
  test.expect("of the same launch touches", 4);
}

TEST(EmulatorFaults, LaunchesDoNotRaceWithEachOther) {
  Planted test([](KernelBuilder &b) {
    mlir::Value i = b.rem(b.add(b.mul(b.block(), b.i64(64)), b.thread()), 256);
    b.store(b.load(f32(b), b.argument(0), i), b.argument(0), i);
  });
  EXPECT_EQ(test.run(4), "");
  EXPECT_EQ(test.run(4), "");
}

TEST(EmulatorFaults, BarrierThatSomeNeverReach) {
  Planted test([](KernelBuilder &b) { b.ifThen(b.less(b.thread(), b.i64(40)), [&] { b.barrier(); }); });
  test.expect("thread 0: waits for thread 40, which has ended");
}

TEST(EmulatorFaults, DifferentBarriers) {
  Planted test([](KernelBuilder &b) {
    auto wait = [&] {
      b.barrier();
      return KernelBuilder::Values();
    };
    auto other = [&] {
      b.barrier();
      return KernelBuilder::Values();
    };
    b.ifElse(b.less(b.thread(), b.i64(32)), {}, wait, other);
  });
  test.expect("thread 0: waits for thread 32, which waits at test/unit/gpu/FaultTest.cpp:");
}

TEST(EmulatorFaults, ShuffleWithoutItsPartner) {
  Planted test([](KernelBuilder &b) {
    b.ifThen(b.less(b.thread(), b.i64(16)), [&] { b.store(b.shuffleXor(b.f32(1), 1), b.argument(0), b.thread()); });
  });
  test.expect("thread 0: waits for thread 16, which has ended");
}

TEST(EmulatorFaults, Shuffles) {
  Planted test([](KernelBuilder &b) {
    mlir::Value x = b.load(f32(b), b.argument(0), b.thread());
    b.store(b.shuffleXor(x, 5), b.argument(1), b.thread());
    b.store(b.shuffleFrom(x, b.i32(3)), b.argument(1), b.add(b.thread(), b.i64(64)));
  });
  for (int i = 0; i < 64; ++i)
    test.p[i] = float(i);
  for (EmulationOrder order : orders()) {
    EXPECT_EQ(test.run(1, order), "");
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(test.q[i], float(i ^ 5));
      EXPECT_EQ(test.q[64 + i], float(i / 32 * 32 + 3));
    }
  }
}

} // namespace
