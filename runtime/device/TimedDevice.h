// A device that notes how long its work takes. Between two waits of the host it begins with a large copy, so that what
// follows is asked for before it can begin: times are the device's alone, and a copy's rate stands beside them.
#pragma once
#include "device/Device.h"
#include "sparsec/WorkTime.h"
#include <functional>
#include <map>
#include <vector>

namespace sparsec {

class TimedDevice final : public Device {
public:
  /// The device has a clock. Fails where there is no memory for copies.
  static Result<std::unique_ptr<TimedDevice>> create(std::unique_ptr<Device> &device);

  /// Of everything that synchronize() has seen done, by name.
  std::vector<WorkTime> times() const;

  BlockSource &memory() override { return device->memory(); }
  BlockSource &hostMemory() override { return device->hostMemory(); }
  Result<std::unique_ptr<DeviceEvent>> makeEvent() override { return device->makeEvent(); }
  Status record(DeviceStream stream, DeviceEvent &event) override { return device->record(stream, event); }
  Status wait(DeviceStream stream, DeviceEvent &event) override { return device->wait(stream, event); }
  Status synchronize() override;
  /// Waits for all streams: times are taken where the host waits.
  Status awaitOnHost(DeviceEvent &) override { return synchronize(); }
  Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &) override {
    return Status::error("work that is timed piece by piece cannot be captured");
  }
  Status launch(DeviceGraph &graph) override { return device->launch(graph); }
  Status copyToDevice(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status copyToHost(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status launch(DeviceStream, const SparsecKernel &, int64_t blocks, const int64_t *arguments) override;
  Status gemm(DeviceStream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c) override;
  int64_t sortScratch(int64_t n) override { return device->sortScratch(n); }
  Result<SortedPairs<uint32_t>> sortPairs(DeviceStream, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                          uint64_t *otherKeys, uint32_t *otherValues, void *scratch) override;
  int64_t runsScratch(int64_t n) override { return device->runsScratch(n); }
  Status runs(DeviceStream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) override;
  Status allToAllV(DeviceStream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes) override;
  Status allGatherV(DeviceStream, Communicator &, const void *send, void *receive, const int64_t *bytes) override;
  Status allReduceSum(DeviceStream, Communicator &, float *data, int64_t n) override;
  DeviceClock *clock() override { return device->clock(); }

private:
  TimedDevice() = default;
  struct Span {
    std::unique_ptr<DeviceEvent> from, to;
    WorkTime *kind = nullptr;
  };
  /// Asks for work of a kind between two events.
  Status timed(DeviceStream, const WorkTime &call, const std::function<Status()> &ask);
  Result<Span *> nextSpan();
  Status headStart();

  std::unique_ptr<Device> device;
  Block source, target; // of the copies
  bool started = false; // the host has not waited since the last copy
  std::vector<Span> spans;
  size_t used = 0;
  std::map<std::string, WorkTime> kinds;
};

} // namespace sparsec
