// Work that comes again as graphs: exactly that work, and whatever cannot be a graph is done all the same.
#include "DeviceWorld.h"
#include "device/NotedWork.h"
#include "emulate/EmulatedDevice.h"

namespace sparsec::test {
namespace {

/// An emulated device that can be told to refuse graphs.
class Choosy final : public Device {
public:
  Choosy(Gemm &gemm, bool refuse) : inner(gemm, {}), refuse(refuse) {}
  BlockSource &memory() override { return inner.memory(); }
  BlockSource &hostMemory() override { return inner.hostMemory(); }
  Result<std::unique_ptr<DeviceEvent>> makeEvent() override { return inner.makeEvent(); }
  Status record(DeviceStream s, DeviceEvent &e) override { return inner.record(s, e); }
  Status wait(DeviceStream s, DeviceEvent &e) override { return inner.wait(s, e); }
  Status synchronize() override { return inner.synchronize(); }
  Status awaitOnHost(DeviceEvent &e) override { return inner.awaitOnHost(e); }
  Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &ask) override {
    captures += 1;
    return refuse ? Status::error("not this") : inner.capture(ask);
  }
  Status launch(DeviceGraph &graph) override { return inner.launch(graph); }
  Status copyToDevice(DeviceStream s, void *to, const void *from, int64_t n) override {
    return inner.copyToDevice(s, to, from, n);
  }
  Status copyToHost(DeviceStream s, void *to, const void *from, int64_t n) override {
    return inner.copyToHost(s, to, from, n);
  }
  Status launch(DeviceStream s, const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) override {
    return inner.launch(s, kernel, blocks, arguments);
  }
  Status gemm(DeviceStream s, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
              float *with, float *c) override {
    return inner.gemm(s, flags, m, n, k, a, b, with, c);
  }
  int64_t sortScratch(int64_t n) override { return inner.sortScratch(n); }
  Result<SortedPairs<uint32_t>> sortPairs(DeviceStream s, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                          uint64_t *otherKeys, uint32_t *otherValues, void *scratch) override {
    return inner.sortPairs(s, keys, values, n, bits, otherKeys, otherValues, scratch);
  }
  int64_t runsScratch(int64_t n) override { return inner.runsScratch(n); }
  Status runs(DeviceStream s, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) override {
    return inner.runs(s, keys, n, run, scratch);
  }
  Status allToAllV(DeviceStream s, Communicator &ranks, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes) override {
    return inner.allToAllV(s, ranks, send, sendBytes, receive, receiveBytes);
  }
  Status allGatherV(DeviceStream s, Communicator &ranks, const void *send, void *receive,
                    const int64_t *bytes) override {
    return inner.allGatherV(s, ranks, send, receive, bytes);
  }
  Status allReduceSum(DeviceStream s, Communicator &ranks, float *data, int64_t n) override {
    return inner.allReduceSum(s, ranks, data, n);
  }
  int captures = 0;

private:
  EmulatedDevice inner;
  bool refuse;
};

struct GraphsTest : testing::Test {
  ThreadPool pool{1};
  Gemm gemm{pool};
  Choosy *device = nullptr;
  std::unique_ptr<NotedWork> work;
  Block block;
  float *x = nullptr; // on the device: a factor, what is multiplied, three products
  float there[3] = {};

  void start(bool refuse = false) {
    auto made = std::make_unique<Choosy>(gemm, refuse);
    device = made.get();
    work = std::make_unique<NotedWork>(std::move(made), [] { return Status(); });
    block = Block(work->memory(), 64);
    x = reinterpret_cast<float *>(block.data());
  }
  /// `n` products of two numbers, of which the host gets the last: n + 1 pieces of work.
  float products(int n, float factor) {
    x[0] = factor, x[1] = 2;
    bool asked = true;
    for (int i = 0; i < n; ++i)
      asked &= work->gemm(DeviceStream::compute, 0, 1, 1, 1, x, x + 1, nullptr, x + 2 + i).ok();
    asked &= work->copyToHost(DeviceStream::compute, there, x + 1 + n, 4).ok();
    EXPECT_TRUE(asked && work->synchronize().ok());
    return there[0];
  }
};

TEST_F(GraphsTest, WorkThatComesAgainIsOneGraphOverWhateverLiesThere) {
  start();
  for (int step = 1; step <= 5; ++step)
    EXPECT_EQ(products(3, float(step)), 2 * float(step));
  EXPECT_EQ(work->graphs().direct, 4);
  EXPECT_EQ(work->graphs().captured, 1);
  EXPECT_EQ(work->graphs().launched, 4);
}

TEST_F(GraphsTest, OneOtherAddressIsOtherWork) {
  start();
  for (int step = 1; step <= 3; ++step)
    products(3, 1);
  Block other(work->memory(), 4);
  auto *y = reinterpret_cast<float *>(other.data());
  *y = 9;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(work->gemm(DeviceStream::compute, 0, 1, 1, 1, i == 2 ? y : x, x + 1, nullptr, x + 2 + i).ok());
  ASSERT_TRUE(work->copyToHost(DeviceStream::compute, there, x + 4, 4).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_EQ(there[0], 18);
  EXPECT_EQ(work->graphs().launched, 2);
  EXPECT_EQ(work->graphs().direct, 8);
}

TEST_F(GraphsTest, WhatCannotBeCapturedIsAskedForDirectlyAndTriedOnce) {
  start(true);
  for (int step = 1; step <= 5; ++step)
    EXPECT_EQ(products(3, float(step)), 2 * float(step));
  EXPECT_EQ(device->captures, 1);
  EXPECT_EQ(work->graphs().captured, 0);
  EXPECT_EQ(work->graphs().launched, 0);
  EXPECT_EQ(work->graphs().direct, 20);
}

TEST_F(GraphsTest, MessagesAndEventsAreBetweenGraphs) {
  start();
  auto alone = makeLoopback();
  auto event = work->makeEvent();
  for (int step = 1; step <= 3; ++step) {
    x[0] = float(step), x[1] = 2;
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(
            work->gemm(DeviceStream::compute, 0, 1, 1, 1, half ? x + 4 : x, x + 1, nullptr, x + 2 + i + half * 3).ok());
      ASSERT_TRUE(work->record(DeviceStream::compute, **event).ok());
      ASSERT_TRUE(work->wait(DeviceStream::communication, **event).ok());
      ASSERT_TRUE(work->allReduceSum(DeviceStream::communication, *alone, x + 4, 1).ok());
      ASSERT_TRUE(work->record(DeviceStream::communication, **event).ok());
      ASSERT_TRUE(work->wait(DeviceStream::compute, **event).ok());
    }
    ASSERT_TRUE(work->synchronize().ok());
    EXPECT_EQ(x[7], 4 * float(step));
  }
  EXPECT_EQ(work->graphs().captured, 2);
  EXPECT_EQ(work->graphs().launched, 4);
}

/// Work that changes from step to step does not push out what comes again.
TEST_F(GraphsTest, GraphsOutliveWorkThatNeverComesAgain) {
  start();
  products(3, 1), products(3, 1);
  std::vector<float> once(300);
  for (size_t i = 0; i < once.size(); i += 3) {
    for (size_t k = i; k < i + 3; ++k)
      ASSERT_TRUE(work->copyToHost(DeviceStream::compute, &once[k], x, 4).ok());
    ASSERT_TRUE(work->synchronize().ok());
  }
  EXPECT_EQ(once[299], 1);
  EXPECT_EQ(work->graphs().captured, 1);
  int64_t launched = work->graphs().launched;
  products(3, 1);
  EXPECT_EQ(work->graphs().launched, launched + 1);
}

TEST_F(GraphsTest, AnEmulatedGraphHoldsTheComputeStreamAlone) {
  EmulatedDevice emulated(gemm, {});
  auto event = emulated.makeEvent();
  float host = 0;
  auto refused = [&](const std::function<Status()> &ask) { return emulated.capture(ask).status().message(); };
  EXPECT_EQ(refused([&] { return emulated.record(DeviceStream::compute, **event); }), "an event cannot be captured");
  EXPECT_EQ(refused([&] { return emulated.copyToHost(DeviceStream::copy, &host, &host, 4); }),
            "a copy from the device is not work of the stream that is being captured");
  EXPECT_TRUE(emulated.synchronize().ok()); // nothing of it was done
}

} // namespace
} // namespace sparsec::test
