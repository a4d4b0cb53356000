// Streams in every order: what events demand is kept, and what the program forgot to demand shows.
#include "DeviceWorld.h"
#include "Kernels.h"
#include "emulate/EmulatedDevice.h"
#include <set>

namespace sparsec::test {
namespace {

using emulate::EventState;
using emulate::StreamQueues;

/// Adds one to each float of the list of one copy entry; enough to be early or late with.
void increment(SparsecThread *thread, const int64_t *arguments) {
  device::Unit u(thread, arguments);
  if (u.number() < u.integer(1))
    u.store(u.pointer<float>(0) + u.number(), u.load(u.pointer<float>(0) + u.number()) + 1);
}
const SparsecKernel incrementKernel{"increment", 2, 32, 0, 0, 32, 0, nullptr, increment};

EmulationOrder randomOrder(uint64_t seed) { return {EmulationOrder::random, seed}; }

/// Two streams of four; the order in which work ran.
std::string orderOf(EmulationOrder order, bool event) {
  StreamQueues queues(2, order);
  std::string ran;
  auto done = std::make_shared<EventState>();
  for (char name : {'a', 'b', 'c', 'd'})
    queues.push(0, [&ran, name] { return ran += name, Status(); });
  queues.record(0, done);
  if (event)
    queues.wait(1, done);
  for (char name : {'0', '1', '2', '3'})
    queues.push(1, [&ran, name] { return ran += name, Status(); });
  EXPECT_TRUE(queues.drain().ok());
  return ran;
}

TEST(Streams, AStreamKeepsItsOrderAndOthersAnyTheyLike) {
  EXPECT_EQ(orderOf({}, false), "abcd0123");
  EXPECT_EQ(orderOf({EmulationOrder::reversed, 0}, false), "0123abcd");
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::string ran = orderOf(randomOrder(seed), false), letters, digits;
    EXPECT_EQ(ran, orderOf(randomOrder(seed), false));
    for (char c : ran)
      (c < 'a' ? digits : letters) += c;
    EXPECT_EQ(letters, "abcd");
    EXPECT_EQ(digits, "0123");
    seen.insert(ran);
  }
  EXPECT_GT(seen.size(), 20u);
}

TEST(Streams, EventsAreKeptInAnyOrder) {
  EXPECT_EQ(orderOf({EmulationOrder::reversed, 0}, true), "abcd0123");
  for (uint64_t seed = 0; seed < 40; ++seed)
    EXPECT_EQ(orderOf(randomOrder(seed), true), "abcd0123");
}

/// A wait is for what was recorded when it was asked for, not for later records.
TEST(Streams, AWaitIsForTheLastRecordBeforeIt) {
  StreamQueues queues(2, {EmulationOrder::reversed, 0});
  std::string ran;
  auto event = std::make_shared<EventState>();
  queues.push(0, [&] { return ran += 'a', Status(); });
  queues.wait(1, event); // of nothing
  queues.push(1, [&] { return ran += '0', Status(); });
  queues.record(0, event);
  queues.push(0, [&] { return ran += 'b', Status(); });
  queues.wait(1, event);
  queues.push(1, [&] { return ran += '1', Status(); });
  queues.record(0, event);
  EXPECT_TRUE(queues.drain().ok());
  EXPECT_EQ(ran, "0a1b");
}

/// Whoever waits for an event gets what it covers, in other streams too, and never meets ranks that wait for less.
TEST(Streams, WaitingForAnEventMeetsNobodyItNeedNot) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    StreamQueues queues(2, randomOrder(seed));
    std::string ran;
    auto sum = std::make_shared<EventState>(), loss = std::make_shared<EventState>();
    queues.push(
        1, [&] { return ran += 'm', Status(); }, true);
    queues.record(1, sum);
    queues.push(
        1, [&] { return ran += 'n', Status(); }, true);
    queues.push(1, [&] { return ran += 'o', Status(); });
    queues.wait(0, sum);
    queues.push(0, [&] { return ran += 'a', Status(); });
    queues.record(0, loss);
    queues.push(0, [&] { return ran += 'b', Status(); });
    EXPECT_TRUE(queues.drain(*loss).ok());
    EXPECT_EQ(ran, "ma");
    EXPECT_TRUE(queues.drain().ok());
    EXPECT_EQ(ran.size(), 5u);
    EXPECT_TRUE(queues.drain(*loss).ok()); // long since
  }
}

TEST(Streams, TheFirstErrorStays) {
  StreamQueues queues(1, {});
  bool ran = false;
  queues.push(0, [] { return Status::error("first"); });
  queues.push(0, [&] { return ran = true, Status::error("second"); });
  EXPECT_EQ(queues.drain().message(), "first");
  EXPECT_EQ(queues.drain().message(), "first");
  EXPECT_FALSE(ran);
}

struct EmulatedDeviceTest : testing::Test {
  ThreadPool pool{1};
  Gemm gemm{pool};

  /// An all-reduce beside kernels that come before and after it; what the host gets.
  float afterAllReduce(EmulationOrder order, bool events) {
    EmulatedDevice device(gemm, order);
    auto one = makeLoopback();
    Block memory(device.memory(), 8);
    auto *value = reinterpret_cast<float *>(memory.data()), *copy = value + 1;
    float start[2] = {1, 0}, result = -1;
    int64_t bytes = 4, arguments[2] = {int64_t(value), 1};
    auto madeBefore = device.makeEvent(), madeAfter = device.makeEvent();
    std::unique_ptr<DeviceEvent> &before = *madeBefore, &after = *madeAfter;
    Status statuses[] = {
        device.copyToDevice(DeviceStream::compute, value, start, 8),
        device.launch(DeviceStream::compute, incrementKernel, 1, arguments),
        device.record(DeviceStream::compute, *before),
        events ? device.wait(DeviceStream::communication, *before) : Status(),
        device.allToAllV(DeviceStream::communication, *one, value, &bytes, copy, &bytes),
        device.record(DeviceStream::communication, *after),
        events ? device.wait(DeviceStream::compute, *after) : Status(),
        device.copyToHost(DeviceStream::compute, &result, copy, 4),
        device.synchronize(),
    };
    for (const Status &status : statuses)
      EXPECT_TRUE(status.ok()) << status.message();
    return result;
  }
};

TEST_F(EmulatedDeviceTest, AMissingEventIsAWrongNumberInSomeOrder) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(afterAllReduce(randomOrder(seed), true), 2);
    wrong += afterAllReduce(randomOrder(seed), false) != 2;
  }
  EXPECT_GT(wrong, 5);
  EXPECT_NE(afterAllReduce({EmulationOrder::reversed, 0}, false), 2);
}

TEST_F(EmulatedDeviceTest, MemoryOfTheHostIsNotTheDevices) {
  EmulatedDevice device(gemm, {});
  float host[4] = {}, more = 0;
  EXPECT_TRUE(device.gemm(DeviceStream::compute, 0, 1, 1, 1, host, host + 1, nullptr, host + 2).ok());
  std::string message = device.synchronize().message();
  EXPECT_EQ(message.substr(0, 28), "a matrix product: 4 bytes at") << message;
  EXPECT_NE(message.find("are not memory of the device"), std::string::npos);
  EXPECT_TRUE(device.copyToHost(DeviceStream::compute, &more, host, 4).ok());
  EXPECT_EQ(device.synchronize().message(), message);
}

TEST_F(EmulatedDeviceTest, TheHostMayNotWriteToWhatIsBeingCopied) {
  EmulatedDevice device(gemm, {});
  Block memory(device.memory(), 4);
  float value = 1;
  ASSERT_TRUE(device.copyToDevice(DeviceStream::compute, memory.data(), &value, 4).ok());
  value = 2;
  EXPECT_EQ(device.synchronize().message(), "the host wrote to 4 bytes that were on their way to the device");
}

TEST_F(EmulatedDeviceTest, SortsByTheBitsItIsToldAndNumbersRuns) {
  EmulatedDevice device(gemm, {});
  std::vector<uint64_t> keys = {5, 2, 7, 2, 5, 2};
  int64_t n = 6;
  std::vector<uint32_t> order = {0, 1, 2, 3, 4, 5}, run(n), sortedOrder(n);
  Block memory(device.memory(), 4096);
  auto *k = reinterpret_cast<uint64_t *>(memory.data());
  auto *v = reinterpret_cast<uint32_t *>(memory.data() + 1024), *r = v + 64;
  ASSERT_TRUE(device.copyToDevice(DeviceStream::compute, k, keys.data(), 8 * n).ok());
  ASSERT_TRUE(device.copyToDevice(DeviceStream::compute, v, order.data(), 4 * n).ok());
  auto sorted = device.sortPairs(DeviceStream::compute, k, v, n, 3, k + 32, v + 32, nullptr);
  ASSERT_TRUE(sorted.ok());
  ASSERT_TRUE(device.runs(DeviceStream::compute, sorted->keys, n, r, nullptr).ok());
  ASSERT_TRUE(device.copyToHost(DeviceStream::compute, run.data(), r, 4 * n).ok());
  ASSERT_TRUE(device.copyToHost(DeviceStream::compute, sortedOrder.data(), sorted->values, 4 * n).ok());
  ASSERT_TRUE(device.synchronize().ok()) << device.synchronize().message();
  EXPECT_EQ(run, (std::vector<uint32_t>{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(sortedOrder, (std::vector<uint32_t>{1, 3, 5, 0, 4, 2}));
}

TEST(EmulationOrder, IsReadFromTheEnvironment) {
  EXPECT_EQ(emulationOrder(nullptr, nullptr)->kind, EmulationOrder::forward);
  auto order = emulationOrder("random", "42");
  ASSERT_TRUE(order.ok());
  EXPECT_EQ(order->kind, EmulationOrder::random);
  EXPECT_EQ(order->seed, 42u);
  EXPECT_EQ(emulationOrder("sorted", nullptr).status().message(),
            "SPARSEC_EMULATE_ORDER: expected `forward`, `reversed` or `random`, but got `sorted`");
  EXPECT_EQ(emulationOrder("random", "4x").status().message(), "SPARSEC_EMULATE_SEED: expected a number, but got `4x`");
}

} // namespace
} // namespace sparsec::test
