#include "emulate/EmulatedDevice.h"
#include "emulate/GradientProduct.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string_view>

namespace sparsec {

using emulate::EventState;

namespace {

using Clock = std::chrono::steady_clock;

struct EmulatedEvent final : DeviceEvent {
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
  std::shared_ptr<Clock::time_point> at = std::make_shared<Clock::time_point>(); // when it happened
};

struct EmulatedGraph final : DeviceGraph {
  std::vector<std::function<Status()>> work;
};

const std::shared_ptr<EventState> &stateOf(DeviceEvent &event) { return static_cast<EmulatedEvent &>(event).state; }

std::vector<int64_t> copied(const int64_t *values, int64_t n) { return {values, values + n}; }

size_t checksum(const void *bytes, int64_t n) {
  return std::hash<std::string_view>()({static_cast<const char *>(bytes), size_t(n)});
}

int64_t sum(const std::vector<int64_t> &values) { return std::accumulate(values.begin(), values.end(), int64_t(0)); }

} // namespace

EmulatedDevice::EmulatedDevice(Gemm &gemm, EmulationOrder order) : products(gemm), queues(deviceStreams, order) {
  emulator.setOrder(order);
}

Status EmulatedDevice::enqueue(DeviceStream stream, const char *what, std::vector<Range> ranges,
                               std::function<Status()> work, bool meets) {
  if (captured && stream != DeviceStream::compute)
    return Status::error(fmt::format("{} is not work of the stream that is being captured", what));
  auto checked = [=, this, ranges = std::move(ranges), work = std::move(work)]() -> Status {
    for (const Range &range : ranges)
      if (range.bytes > 0 && !emulator.memory().contains(range.address, range.bytes))
        return Status::error(
            fmt::format("{}: {} bytes at {} are not memory of the device", what, range.bytes, fmt::ptr(range.address)));
    return work();
  };
  auto again = [=, this, checked = std::move(checked)]() -> Status {
    queues.push(int(stream), checked, meets);
    return {};
  };
  if (!captured)
    return again();
  captured->push_back(std::move(again));
  return {};
}

Status EmulatedDevice::awaitOnHost(DeviceEvent &event) { return queues.drain(*stateOf(event)); }

/// As strict as a GPU: what would wait, or meet other streams, cannot be captured.
Result<std::unique_ptr<DeviceGraph>> EmulatedDevice::capture(const std::function<Status()> &ask) {
  auto graph = std::make_unique<EmulatedGraph>();
  captured = &graph->work;
  Status status = ask();
  captured = nullptr;
  if (!status)
    return status;
  return std::unique_ptr<DeviceGraph>(std::move(graph));
}

Status EmulatedDevice::launch(DeviceGraph &graph) {
  for (const auto &again : static_cast<EmulatedGraph &>(graph).work)
    if (Status status = again(); !status)
      return status;
  return {};
}

Result<std::unique_ptr<DeviceEvent>> EmulatedDevice::makeEvent() {
  return std::unique_ptr<DeviceEvent>(std::make_unique<EmulatedEvent>());
}

Status EmulatedDevice::record(DeviceStream stream, DeviceEvent &event) {
  if (captured)
    return Status::error("an event cannot be captured");
  queues.push(int(stream), [at = static_cast<EmulatedEvent &>(event).at]() -> Status {
    *at = Clock::now();
    return {};
  });
  queues.record(int(stream), stateOf(event));
  return {};
}

Status EmulatedDevice::wait(DeviceStream stream, DeviceEvent &event) {
  if (captured)
    return Status::error("an event cannot be captured");
  queues.wait(int(stream), stateOf(event));
  return {};
}

/// No bytes may lie at null, where memcpy is not defined.
static void copyBytes(void *to, const void *from, int64_t bytes) {
  std::copy_n(static_cast<const std::byte *>(from), bytes, static_cast<std::byte *>(to));
}

Result<double> EmulatedDevice::milliseconds(DeviceEvent &from, DeviceEvent &to) {
  Clock::duration between = *static_cast<EmulatedEvent &>(to).at - *static_cast<EmulatedEvent &>(from).at;
  return std::chrono::duration<double, std::milli>(between).count();
}

/// The device reads the host's memory at any moment until it has done the copy, so the host may not write to it.
Status EmulatedDevice::copyToDevice(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  if (captured)
    return Status::error("a copy to the device cannot be captured: what the host has there changes");
  return enqueue(stream, "a copy to the device", {{to, bytes}}, [=, asked = checksum(from, bytes)]() -> Status {
    if (checksum(from, bytes) != asked)
      return Status::error(fmt::format("the host wrote to {} bytes that were on their way to the device", bytes));
    copyBytes(to, from, bytes);
    return {};
  });
}

Status EmulatedDevice::copyToHost(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  return enqueue(stream, "a copy from the device", {{from, bytes}}, [=]() -> Status {
    copyBytes(to, from, bytes);
    return {};
  });
}

Status EmulatedDevice::launch(DeviceStream stream, const SparsecKernel &kernel, int64_t blocks,
                              const int64_t *arguments) {
  return enqueue(stream, kernel.name, {}, [=, this, &kernel, words = copied(arguments, kernel.arguments)] {
    return emulator.launch(kernel, blocks, words.data());
  });
}

Status EmulatedDevice::gemm(DeviceStream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a,
                            const float *b, float *with, float *c) {
  int64_t others = flags & SPARSEC_GEMM_SUMS ? m : flags & SPARSEC_GEMM_RELU_GRADIENT ? m * n : with ? n : 0;
  return enqueue(stream, "a matrix product", {{a, 4 * m * k}, {b, 4 * k * n}, {with, 4 * others}, {c, 4 * m * n}},
                 [=, this] { return emulate::gradientProduct(products, flags, m, n, k, a, b, with, c); });
}

/// Leaves the result in the other arrays, and nothing in the ones it was given.
Result<SortedPairs<uint32_t>> EmulatedDevice::sortPairs(DeviceStream stream, uint64_t *keys, uint32_t *values,
                                                        int64_t n, int bits, uint64_t *otherKeys, uint32_t *otherValues,
                                                        void *) {
  uint64_t mask = bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
  Status status = enqueue(stream, "a sort", {{keys, 8 * n}, {values, 4 * n}, {otherKeys, 8 * n}, {otherValues, 4 * n}},
                          [=]() -> Status {
                            std::vector<int64_t> place(n);
                            std::iota(place.begin(), place.end(), 0);
                            std::stable_sort(place.begin(), place.end(),
                                             [=](int64_t a, int64_t b) { return (keys[a] & mask) < (keys[b] & mask); });
                            for (int64_t k = 0; k < n; ++k) {
                              otherKeys[k] = keys[place[k]];
                              otherValues[k] = values[place[k]];
                            }
                            std::memset(keys, 0xff, size_t(8 * n));
                            std::memset(values, 0xff, size_t(4 * n));
                            return {};
                          });
  if (!status)
    return status;
  return SortedPairs<uint32_t>{otherKeys, otherValues};
}

Status EmulatedDevice::runs(DeviceStream stream, const uint64_t *keys, int64_t n, uint32_t *run, void *) {
  return enqueue(stream, "a scan for runs", {{keys, 8 * n}, {run, 4 * n}}, [=]() -> Status {
    for (int64_t k = 0; k < n; ++k)
      run[k] = k == 0 ? 0 : run[k - 1] + (keys[k] != keys[k - 1]);
    return {};
  });
}

Status EmulatedDevice::allToAllV(DeviceStream stream, Communicator &ranks, const void *send, const int64_t *sendBytes,
                                 void *receive, const int64_t *receiveBytes) {
  auto out = copied(sendBytes, ranks.size()), in = copied(receiveBytes, ranks.size());
  return enqueue(
      stream, "an all-to-all", {{send, sum(out)}, {receive, sum(in)}},
      [=, &ranks] { return ranks.allToAllV(send, out.data(), receive, in.data()); }, ranks.size() > 1);
}

Status EmulatedDevice::allGatherV(DeviceStream stream, Communicator &ranks, const void *send, void *receive,
                                  const int64_t *bytes) {
  auto all = copied(bytes, ranks.size());
  return enqueue(
      stream, "an all-gather", {{send, all[ranks.rank()]}, {receive, sum(all)}},
      [=, &ranks] { return ranks.allGatherV(send, receive, all.data()); }, ranks.size() > 1);
}

Status EmulatedDevice::allReduceSum(DeviceStream stream, Communicator &ranks, float *data, int64_t n) {
  return enqueue(
      stream, "an all-reduce", {{data, 4 * n}}, [=, &ranks] { return ranks.allReduceSum(data, n); }, ranks.size() > 1);
}

} // namespace sparsec
