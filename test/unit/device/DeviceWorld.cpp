// Tests of context/ on an emulated device: each world has another order of threads, blocks and streams.
#include "DeviceWorld.h"
#include "Kernels.h"
#include "device/DeviceEngine.h"
#include "emulate/EmulatedDevice.h"
#include <atomic>

namespace sparsec::test {

namespace {

constexpr int chunk = 4; // bags and segments of tests are split, and some are not

SparsecKernel kernelOf(const char *name, int32_t arguments, SparsecEmulatedKernel work,
                       const SparsecKernel *then = nullptr) {
  return {name, arguments, 32, 0, 0, 32, then ? chunk : 0, then, work};
}

/// A class: a lookup by bag for some dims, a split one for others.
template <int D> Kernels kernelsOf() {
  using namespace device;
  static const SparsecKernel byBag = kernelOf("lookup", 3, device::lookup<D>),
                             lookupEnd = kernelOf("lookup_then", 4, lookupThen<D, chunk>),
                             split = kernelOf("lookup_split", 4, lookupChunk<D, chunk>, &lookupEnd),
                             add = kernelOf("combine", 3, device::combine<D>),
                             sumEnd = kernelOf("sum_then", 7, sumSegments<D, chunk>),
                             sum = kernelOf("sum", 4, segmentPieces<D, chunk>, &sumEnd),
                             sgdEnd = kernelOf("sgd_then", 9, device::sgd<D, chunk>),
                             sgd = kernelOf("sgd", 4, segmentPieces<D, chunk>, &sgdEnd),
                             sweepEnd = kernelOf("sweep_then", 9, device::sweep<D, chunk>),
                             sweep = kernelOf("sweep", 4, segmentPieces<D, chunk>, &sweepEnd),
                             adagradEnd = kernelOf("adagrad_then", 9, device::adagrad<D, chunk>),
                             adagrad = kernelOf("adagrad", 4, segmentPieces<D, chunk>, &adagradEnd);
  Kernels kernels;
  kernels.lookup.device = D % 2 == 0 ? &split : &byBag;
  kernels.combine.device = &add;
  kernels.sum.device = &sum;
  kernels.sgd.device = &sgd;
  kernels.sweep.device = &sweep;
  kernels.adagrad.device = &adagrad;
  return kernels;
}

Kernels deviceKernels(int64_t dim) {
  switch (dim) {
  case 1:
    return kernelsOf<1>();
  case 2:
    return kernelsOf<2>();
  case 3:
    return kernelsOf<3>();
  case 8:
    return kernelsOf<8>();
  case 16:
    return kernelsOf<16>();
  case 128:
    return kernelsOf<128>();
  }
  return {};
}

thread_local Device *deviceHere; // a rank is a thread

} // namespace

const SparsecKernel *const *generalKernels() {
  static const SparsecKernel copy = kernelOf("copy_rows", 3, device::copyRows),
                             keys = kernelOf("row_keys", 7, device::rowKeys);
  static const SparsecKernel *const all[SPARSEC_KERNELS] = {&copy, &keys};
  return all;
}

Status startDevice(Context &context, EmulationOrder order) {
  auto device = std::make_unique<EmulatedDevice>(context.gemm(), order);
  deviceHere = device.get();
  auto engine = DeviceEngine::create(context, std::unique_ptr<Device>(std::move(device)), generalKernels());
  if (!engine)
    return engine.status();
  context.setEngine(std::move(*engine));
  return context.engine().upload();
}

Status settleDevice(Context &) { return deviceHere->synchronize(); }

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
