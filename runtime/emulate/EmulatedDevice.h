// A device that is emulated: kernels by Emulator, sorting and GEMMs by the host's, collectives by the host's
// communicators. Work waits until synchronize(), which does it in an order that streams and events allow.
#pragma once
#include "device/Device.h"
#include "emulate/StreamQueues.h"
#include "sparsec/Emulate.h"
#include "sparsec/Gemm.h"

namespace sparsec {

/// Its clock is the host's: how long the emulator takes.
class EmulatedDevice final : public Device, public DeviceClock {
public:
  /// `order` is that of threads and blocks, and of streams.
  EmulatedDevice(Gemm &, EmulationOrder order);

  BlockSource &memory() override { return blocks; }
  BlockSource &hostMemory() override { return hostBlocks(); }
  Result<std::unique_ptr<DeviceEvent>> makeEvent() override;
  Status record(DeviceStream, DeviceEvent &) override;
  Status wait(DeviceStream, DeviceEvent &) override;
  Status synchronize() override { return queues.drain(); }
  Status awaitOnHost(DeviceEvent &) override;
  Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &ask) override;
  Status launch(DeviceGraph &) override;
  Status copyToDevice(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status copyToHost(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status launch(DeviceStream, const SparsecKernel &, int64_t blocks, const int64_t *arguments) override;
  Status gemm(DeviceStream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c) override;
  int64_t sortScratch(int64_t) override { return 0; }
  Result<SortedPairs<uint32_t>> sortPairs(DeviceStream, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                          uint64_t *otherKeys, uint32_t *otherValues, void *scratch) override;
  int64_t runsScratch(int64_t) override { return 0; }
  Status runs(DeviceStream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) override;
  Status allToAllV(DeviceStream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes) override;
  Status allGatherV(DeviceStream, Communicator &, const void *send, void *receive, const int64_t *bytes) override;
  Status allReduceSum(DeviceStream, Communicator &, float *data, int64_t n) override;
  DeviceClock *clock() override { return this; }
  Result<std::unique_ptr<DeviceEvent>> makeTimedEvent() override { return makeEvent(); }
  Result<double> milliseconds(DeviceEvent &from, DeviceEvent &to) override;
  int64_t headStart() const override { return 1 << 10; }

private:
  struct Blocks final : BlockSource {
    explicit Blocks(EmulatedMemory &memory) : device(memory) {}
    void *allocate(int64_t bytes) override { return device.allocate(bytes); }
    void free(void *address) override { device.free(address); }
    EmulatedMemory &device;
  };
  struct Range {
    const void *address;
    int64_t bytes;
  };
  /// Does `work` in the stream, if these are memory of the device then. `meets`: together with other ranks.
  Status enqueue(DeviceStream, const char *what, std::vector<Range>, std::function<Status()> work, bool meets = false);

  Gemm &products;
  Emulator emulator;
  Blocks blocks{emulator.memory()};
  emulate::StreamQueues queues;
  std::vector<std::function<Status()>> *captured = nullptr; // where work goes that is being captured
};

/// As SPARSEC_EMULATE_ORDER and SPARSEC_EMULATE_SEED say; see the README.
Result<EmulationOrder> emulationOrder(const char *order, const char *seed);

} // namespace sparsec
