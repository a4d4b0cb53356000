// What a timed device counts, and that its work is the device's.
#include "device/TimedDevice.h"
#include "DeviceWorld.h"
#include "Kernels.h"
#include "emulate/EmulatedDevice.h"
#include "sparsec/Gemm.h"
#include <algorithm>
#include <map>

namespace sparsec::test {
namespace {

void fillOne(SparsecThread *thread, const int64_t *arguments) {
  device::Unit u(thread, arguments);
  if (u.number() < u.integer(1))
    u.store(u.pointer<float>(0) + u.number(), 1.0f);
}
const SparsecKernel fillKernel{"fill", 2, 32, 0, 0, 32, 0, nullptr, fillOne};

class TimedDeviceTest : public testing::Test {
protected:
  TimedDeviceTest() {
    std::unique_ptr<Device> emulated = std::make_unique<EmulatedDevice>(gemm, EmulationOrder());
    floats = static_cast<float *>(emulated->memory().allocate(48 * 4));
    auto made = TimedDevice::create(emulated);
    EXPECT_TRUE(made.status().ok()) << made.status().message();
    timed = std::move(*made);
  }
  Status fill(int64_t blocks) {
    int64_t arguments[] = {int64_t(reinterpret_cast<uintptr_t>(floats)), 48};
    return timed->launch(DeviceStream::compute, fillKernel, blocks, arguments);
  }
  std::map<std::string, WorkTime> times() const {
    std::map<std::string, WorkTime> all;
    for (const WorkTime &work : timed->times())
      all[work.name] = work;
    return all;
  }
  ThreadPool pool{1};
  Gemm gemm{pool};
  float *floats = nullptr;
  std::unique_ptr<TimedDevice> timed;
};

TEST_F(TimedDeviceTest, CountsWorkByKind) {
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(fill(2).ok());
    ASSERT_TRUE(fill(0).ok()); // nothing happens
    ASSERT_TRUE(fill(2).ok());
    ASSERT_TRUE(timed->gemm(DeviceStream::compute, 0, 4, 4, 4, floats, floats + 16, nullptr, floats + 32).ok());
    ASSERT_TRUE(timed->synchronize().ok());
  }
  auto all = times();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all["fill"].calls, 6);
  EXPECT_EQ(all["gemm 4x4x4"].calls, 3);
  EXPECT_EQ(all["gemm 4x4x4"].flops, 3 * 2 * 64.0);
  EXPECT_EQ(all["copy"].calls, 3); // one before each step
  EXPECT_EQ(all["copy"].bytes, 3 * 2.0 * double(timed->clock()->headStart()));
  for (auto &[name, work] : all)
    EXPECT_GT(work.milliseconds, 0) << name;
  std::vector<float> result(48);
  ASSERT_TRUE(timed->copyToHost(DeviceStream::compute, result.data(), floats, 48 * 4).ok());
  ASSERT_TRUE(timed->synchronize().ok());
  EXPECT_EQ(std::count(result.begin(), result.begin() + 32, 1.0f), 32);
  EXPECT_EQ(std::count(result.begin() + 32, result.end(), 4.0f), 16);
}

TEST_F(TimedDeviceTest, WorkThatFailsFails) {
  ASSERT_TRUE(fill(40).ok()); // threads behind the memory see that there is nothing for them
  float *end = floats + 48;
  std::swap(floats, end);
  ASSERT_TRUE(fill(2).ok());
  EXPECT_FALSE(timed->synchronize().ok());
}

} // namespace
} // namespace sparsec::test
