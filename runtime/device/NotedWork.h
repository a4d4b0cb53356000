// A device that notes what it is asked for, until all of it is submitted to the device behind it: then everything that
// the host prepares for the work is there, and work that comes again is one graph.
//
// Events and messages are always asked for directly and cut the work between them into graphs of its own: whether a
// message is part of a graph would have to be the same on all ranks, and what comes again is different on each.
#pragma once
#include "device/Graphs.h"
#include "device/TimedDevice.h"

namespace sparsec {

class NotedWork final : public Device {
public:
  /// `before` is called before each submission.
  NotedWork(std::unique_ptr<Device> behind, std::function<Status()> before)
      : behind(std::move(behind)), before(std::move(before)) {}

  /// The device that does the work. What it is asked for itself is not noted.
  Device &backend() { return *behind; }
  Status submit();
  /// Forgets what was not submitted.
  void drop() { work.clear(); }
  /// The device behind, which has a clock, is timed from now on. Its work is done.
  Result<TimedDevice *> startTimes();
  const GraphCounts &graphs() const { return known.counts(); }

  BlockSource &memory() override { return behind->memory(); }
  BlockSource &hostMemory() override { return behind->hostMemory(); }
  Result<std::unique_ptr<DeviceEvent>> makeEvent() override { return behind->makeEvent(); }
  Status record(DeviceStream, DeviceEvent &) override;
  Status wait(DeviceStream, DeviceEvent &) override;
  /// Submits first.
  Status synchronize() override;
  Status awaitOnHost(DeviceEvent &) override;
  /// Graphs are made here, of what was noted.
  Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &) override;
  Status launch(DeviceGraph &) override;
  Status copyToDevice(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status copyToHost(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status launch(DeviceStream, const SparsecKernel &, int64_t blocks, const int64_t *arguments) override;
  Status gemm(DeviceStream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c) override;
  int64_t sortScratch(int64_t n) override { return behind->sortScratch(n); }
  Result<SortedPairs<uint32_t>> sortPairs(DeviceStream, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                          uint64_t *otherKeys, uint32_t *otherValues, void *scratch) override;
  int64_t runsScratch(int64_t n) override { return behind->runsScratch(n); }
  Status runs(DeviceStream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) override;
  Status allToAllV(DeviceStream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes) override;
  Status allGatherV(DeviceStream, Communicator &, const void *send, void *receive, const int64_t *bytes) override;
  Status allReduceSum(DeviceStream, Communicator &, float *data, int64_t n) override;

private:
  std::unique_ptr<Device> behind; // outlives the graphs
  std::function<Status()> before;
  WorkList work;
  Graphs known;
};

} // namespace sparsec
