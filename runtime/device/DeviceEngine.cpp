// Steps: what begins and ends them, memory, inputs, single launches and results.
#include "device/DeviceEngine.h"
#include "checkpoint/AgreeStatus.h"
#include "context/NonFinite.h"
#include "device/Rounded.h"
#include "sparsec/Batch.h"
#include <fmt/format.h>

namespace sparsec {

DeviceEngine::DeviceEngine(Context &context, std::unique_ptr<Device> given, const SparsecKernel *const *kernels)
    : context(context), device(std::move(given)), kernels(kernels), planned(device->memory()), pooled(device->memory()),
      results(device->hostMemory()), staging(*device) {}

Result<std::unique_ptr<DeviceEngine>> DeviceEngine::create(Context &context, Result<std::unique_ptr<Device>> device,
                                                           const SparsecKernel *const *kernels) {
  Communicator &world = context.communicator(SPARSEC_AXIS_REPLICATE | SPARSEC_AXIS_NODE | SPARSEC_AXIS_SHARD);
  if (Status status = agreeStatus(world, device.status()); !status)
    return status;
  std::unique_ptr<DeviceEngine> engine(new DeviceEngine(context, std::move(*device), kernels));
  Result<std::unique_ptr<Communicator>> channel = world.duplicate();
  if (!channel)
    return channel.status();
  engine->channel = std::move(*channel);
  Result<AxisCommunicators> axes = AxisCommunicators::create(*engine->channel, context.program().mesh);
  if (!axes)
    return axes.status();
  engine->axes = std::move(*axes);
  return engine;
}

Status DeviceEngine::upload() {
  if (!hasTables) {
    Result<TableMirror> made = TableMirror::create(*device, context.tables(), context.program());
    if (!made)
      return made.status();
    mirror = std::move(*made);
    hasTables = true;
  }
  return mirror.upload(*device);
}

//===- steps -----------------------------------------------------------------------------------------------------===//

Status DeviceEngine::begin() {
  pooled.reset();
  results.reset();
  staging.reset();
  bags.clear();
  inputs.assign(context.batch().inputs.size(), nullptr);
  labels.assign(context.batch().labels.size(), nullptr);
  outputs.clear();
  usedEvents = 0;
  loss = nullptr;
  return {};
}

Status DeviceEngine::finish() {
  if (Status status = device->synchronize(); !status)
    return status;
  if (!context.status().ok()) // the entry stopped; what it asked for before that means nothing
    return {};
  for (const Output &output : outputs)
    context.setOutput(output.task, output.values);
  return loss ? judgeLoss(context, *loss) : Status();
}

void DeviceEngine::addTo(MemoryUse &use) const {
  use.tables += mirror.tableBytes();
  use.params += mirror.paramBytes();
  use.arena += planned.bytes();
  use.ragged += pooled.highWater();
  use.raggedReserved += pooled.reserved() + staging.reserved();
}

//===- inputs ----------------------------------------------------------------------------------------------------===//

Result<const float *> DeviceEngine::staged(const Buffer<float> &values, const float *&known) {
  if (known || !values.data())
    return known;
  Staged<float> place = staging.array<float>(values.size());
  std::copy_n(values.data(), values.size(), place.host);
  return known = place.device;
}

Result<const float *> DeviceEngine::input(int32_t block) {
  const auto &blocks = context.batch().inputs;
  return block >= 0 && size_t(block) < blocks.size() ? staged(blocks[block], inputs[block]) : nullptr;
}

Result<const float *> DeviceEngine::label(int32_t label) {
  const auto &blocks = context.batch().labels;
  return label >= 0 && size_t(label) < blocks.size() ? staged(blocks[label], labels[label]) : nullptr;
}

Result<const SparsecJagged *> DeviceEngine::onDevice(const SparsecJagged &host) {
  const SparsecJagged *&known = bags[&host];
  if (known)
    return known;
  auto copy = [&]<typename T>(const T *values, int64_t n) -> const T * {
    if (!values)
      return nullptr;
    Staged<T> place = staging.array<T>(roundedSize(n));
    std::copy_n(values, n, place.host);
    return place.device;
  };
  int64_t ids = host.offsets[host.bags];
  SparsecJagged *there = context.scratch<SparsecJagged>(1);
  *there = host;
  there->offsets = copy(host.offsets, host.bags + 1);
  there->values = copy(host.values, ids);
  there->weights = copy(host.weights, ids);
  there->counts = copy(host.counts, host.bags);
  return known = there;
}

//===- work ------------------------------------------------------------------------------------------------------===//

Status DeviceEngine::launch(const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) {
  if (Status status = staging.flush(); !status)
    return status;
  return device->launch(DeviceStream::compute, kernel, blocks, arguments);
}

Status DeviceEngine::launchUnits(const SparsecKernel &kernel, int64_t units, std::initializer_list<int64_t> arguments) {
  if (kernel.units < 1 || kernel.arguments != int32_t(arguments.size()))
    return Status::error(fmt::format("kernel `{}` takes {} arguments and does {} units a block: expected {} and at "
                                     "least 1",
                                     kernel.name, kernel.arguments, kernel.units, arguments.size()));
  return launch(kernel, (units + kernel.units - 1) / kernel.units, arguments.begin());
}

Result<const SparsecKernel *> DeviceEngine::general(int kernel) const {
  if (kernels && kernels[kernel])
    return kernels[kernel];
  return Status::error(fmt::format("the program has no kernel {} of those that every program has", kernel));
}

Status DeviceEngine::gemm(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                          const float *bias, float *c) {
  if (Status status = staging.flush(); !status)
    return status;
  return device->gemm(DeviceStream::compute, flags, m, n, k, a, b, bias, c);
}

//===- results ---------------------------------------------------------------------------------------------------===//

Result<const float *> DeviceEngine::fetch(const float *values, int64_t n) {
  float *place = results.array<float>(n);
  if (!place)
    throw std::bad_alloc();
  if (Status status = staging.flush(); !status)
    return status;
  if (Status status = device->copyToHost(DeviceStream::compute, place, values, n * 4); !status)
    return status;
  return place;
}

Status DeviceEngine::reportLoss(const float *value) {
  auto place = fetch(value, 1);
  loss = *place;
  return place.status();
}

Status DeviceEngine::output(int32_t task, const float *values, int64_t n) {
  auto place = fetch(values, n);
  if (place)
    outputs.push_back({task, {*place, size_t(n)}});
  return place.status();
}

} // namespace sparsec
