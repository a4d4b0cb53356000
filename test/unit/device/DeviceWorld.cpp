// Tests of context/ on an emulated device: each world has another order of threads, blocks and streams.
#include "DeviceWorld.h"
#include "device/DeviceEngine.h"
#include "emulate/EmulatedDevice.h"
#include <atomic>

namespace sparsec::test {

static thread_local DeviceEngine *engineHere; // a rank is a thread

Status startDevice(Context &context, EmulationOrder order) {
  auto device = std::make_unique<EmulatedDevice>(context.gemm(), order);
  auto engine = DeviceEngine::create(context, std::unique_ptr<Device>(std::move(device)), generalKernels());
  if (!engine)
    return engine.status();
  engineHere = engine->get();
  context.setEngine(std::move(*engine));
  return context.engine().upload();
}

Status settleDevice(Context &) { return engineHere->synchronize(); }

void equip(World &world) {
  static std::atomic<uint64_t> made;
  uint64_t number = made++;
  constexpr EmulationOrder::Kind kinds[] = {EmulationOrder::forward, EmulationOrder::reversed, EmulationOrder::random};
  world.kernels = deviceKernels;
  world.start = [order = EmulationOrder{kinds[number % 3], number}](Context &context) {
    return startDevice(context, order);
  };
  world.settle = settleDevice;
}

} // namespace sparsec::test
