#include "device/TimedDevice.h"
#include <fmt/format.h>

namespace sparsec {

Result<std::unique_ptr<TimedDevice>> TimedDevice::create(std::unique_ptr<Device> &device) {
  std::unique_ptr<TimedDevice> timed(new TimedDevice);
  int64_t bytes = device->clock()->headStart();
  timed->source = Block(device->memory(), bytes);
  timed->target = Block(device->memory(), bytes);
  if (!timed->source || !timed->target)
    return Status::error(fmt::format("no memory of the device for a copy of {} bytes", bytes));
  timed->device = std::move(device);
  return timed;
}

std::vector<WorkTime> TimedDevice::times() const {
  std::vector<WorkTime> all;
  for (const auto &[name, kind] : kinds)
    all.push_back(kind);
  return all;
}

//===- spans -----------------------------------------------------------------------------------------------------===//

Result<TimedDevice::Span *> TimedDevice::nextSpan() {
  if (used == spans.size()) {
    auto from = device->clock()->makeTimedEvent(), to = device->clock()->makeTimedEvent();
    if (!from || !to)
      return from ? to.status() : from.status();
    spans.push_back({std::move(*from), std::move(*to)});
  }
  return &spans[used++];
}

/// Once before the first work behind each wait.
Status TimedDevice::headStart() {
  if (started)
    return {};
  started = true;
  int64_t bytes = source.bytes();
  return timed(DeviceStream::compute, {"copy", 1, 0, 2.0 * double(bytes), 0},
               [&] { return device->copyToDevice(DeviceStream::compute, target.data(), source.data(), bytes); });
}

Status TimedDevice::timed(DeviceStream stream, const WorkTime &call, const std::function<Status()> &ask) {
  if (Status status = headStart(); !status)
    return status;
  Result<Span *> next = nextSpan();
  if (!next)
    return next.status();
  Span &span = **next;
  span.kind = &kinds[call.name];
  span.kind->name = call.name;
  span.kind->calls += 1;
  span.kind->bytes += call.bytes;
  span.kind->flops += call.flops;
  DeviceEvent &to = *span.to; // `ask` may time work of its own
  if (Status status = device->record(stream, *span.from); !status)
    return status;
  if (Status status = ask(); !status)
    return status;
  return device->record(stream, to);
}

Status TimedDevice::synchronize() {
  if (Status status = device->synchronize(); !status)
    return status;
  for (size_t i = 0; i < used; ++i) {
    Result<double> took = device->clock()->milliseconds(*spans[i].from, *spans[i].to);
    if (!took)
      return took.status();
    spans[i].kind->milliseconds += *took;
  }
  used = 0;
  started = false;
  return {};
}

//===- work ------------------------------------------------------------------------------------------------------===//

Status TimedDevice::copyToDevice(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  return timed(stream, {"to the device", 1, 0, double(bytes), 0},
               [&] { return device->copyToDevice(stream, to, from, bytes); });
}
Status TimedDevice::copyToHost(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  return timed(stream, {"to the host", 1, 0, double(bytes), 0},
               [&] { return device->copyToHost(stream, to, from, bytes); });
}
Status TimedDevice::launch(DeviceStream stream, const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) {
  if (blocks <= 0)
    return {};
  return timed(stream, {kernel.name, 1, 0, 0, 0}, [&] { return device->launch(stream, kernel, blocks, arguments); });
}
Status TimedDevice::gemm(DeviceStream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a,
                         const float *b, float *with, float *c) {
  return timed(stream, {fmt::format("gemm {}x{}x{}", m, n, k), 1, 0, 0, 2.0 * double(m) * double(n) * double(k)},
               [&] { return device->gemm(stream, flags, m, n, k, a, b, with, c); });
}
Result<SortedPairs<uint32_t>> TimedDevice::sortPairs(DeviceStream stream, uint64_t *keys, uint32_t *values, int64_t n,
                                                     int bits, uint64_t *otherKeys, uint32_t *otherValues,
                                                     void *scratch) {
  Result<SortedPairs<uint32_t>> sorted = SortedPairs<uint32_t>{keys, values};
  Status status = timed(stream, {"sort", 1, 0, 0, 0}, [&] {
    sorted = device->sortPairs(stream, keys, values, n, bits, otherKeys, otherValues, scratch);
    return sorted.status();
  });
  return status ? sorted : status;
}
Status TimedDevice::runs(DeviceStream stream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) {
  return timed(stream, {"runs", 1, 0, 0, 0}, [&] { return device->runs(stream, keys, n, run, scratch); });
}
Status TimedDevice::allToAllV(DeviceStream stream, Communicator &ranks, const void *send, const int64_t *sendBytes,
                              void *receive, const int64_t *receiveBytes) {
  return timed(stream, {"all_to_all", 1, 0, 0, 0},
               [&] { return device->allToAllV(stream, ranks, send, sendBytes, receive, receiveBytes); });
}
Status TimedDevice::allGatherV(DeviceStream stream, Communicator &ranks, const void *send, void *receive,
                               const int64_t *bytes) {
  return timed(stream, {"all_gather", 1, 0, 0, 0},
               [&] { return device->allGatherV(stream, ranks, send, receive, bytes); });
}
Status TimedDevice::allReduceSum(DeviceStream stream, Communicator &ranks, float *data, int64_t n) {
  return timed(stream, {"all_reduce", 1, 0, 0, 0}, [&] { return device->allReduceSum(stream, ranks, data, n); });
}

} // namespace sparsec
