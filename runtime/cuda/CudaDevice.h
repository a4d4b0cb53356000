// A GPU behind the interface of runtime/device.
#pragma once
#include "Blas.h"
#include "Collectives.h"
#include "Cub.h"
#include "device/Device.h"
#include <chrono>
#include <map>
#include <mutex>

namespace sparsec::cuda {

struct DeviceOptions {
  int rank = 0, ranks = 1; // of the program
  int device = 0;          // number of the GPU on this machine
  Multiply multiply = Multiply::fp32;
  std::chrono::milliseconds timeout = std::chrono::minutes(10); // of a step's work
};

class CudaDevice : public Device, public DeviceClock {
public:
  /// Errors, each one line: what is missing (driver, library, GPU, code for its architecture).
  static Result<std::unique_ptr<CudaDevice>> open(const SparsecProgramImage &, const DeviceOptions &);
  ~CudaDevice() override;

  /// 90: sm_90.
  int architecture() const { return number; }

  BlockSource &memory() override { return deviceBlocks; }
  BlockSource &hostMemory() override { return pinnedBlocks; }
  Result<std::unique_ptr<DeviceEvent>> makeEvent() override { return makeEvent(eventDisableTiming); }
  Status record(DeviceStream, DeviceEvent &) override;
  Status wait(DeviceStream, DeviceEvent &) override;
  Status synchronize() override;
  Status awaitOnHost(DeviceEvent &) override;
  Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &ask) override;
  Status launch(DeviceGraph &) override;
  Status copyToDevice(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status copyToHost(DeviceStream, void *to, const void *from, int64_t bytes) override;
  Status launch(DeviceStream, const SparsecKernel &, int64_t blocks, const int64_t *arguments) override;
  Status gemm(DeviceStream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c) override;
  int64_t sortScratch(int64_t n) override;
  Result<SortedPairs<uint32_t>> sortPairs(DeviceStream, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                          uint64_t *otherKeys, uint32_t *otherValues, void *scratch) override;
  int64_t runsScratch(int64_t n) override;
  Status runs(DeviceStream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) override;
  Status allToAllV(DeviceStream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes) override;
  Status allGatherV(DeviceStream, Communicator &, const void *send, void *receive, const int64_t *bytes) override;
  Status allReduceSum(DeviceStream, Communicator &, float *data, int64_t n) override;
  DeviceClock *clock() override { return this; }
  Result<std::unique_ptr<DeviceEvent>> makeTimedEvent() override { return makeEvent(0); }
  Result<double> milliseconds(DeviceEvent &from, DeviceEvent &to) override;
  int64_t headStart() const override { return int64_t(1) << 30; }

private:
  class DeviceBlocks : public BlockSource {
  public:
    explicit DeviceBlocks(const Runtime &cuda) : cuda(cuda) {}
    void *allocate(int64_t bytes) override;
    void free(void *) override;

  private:
    const Runtime &cuda;
  };
  class PinnedBlocks : public BlockSource {
  public:
    explicit PinnedBlocks(const Runtime &cuda) : cuda(cuda) {}
    void *allocate(int64_t bytes) override;
    void free(void *) override;

  private:
    const Runtime &cuda;
  };

  CudaDevice(Runtime &&runtime, const DeviceOptions &options)
      : cuda(std::move(runtime)), options(options), deviceBlocks(cuda), pinnedBlocks(cuda) {}
  Status start(const SparsecProgramImage &);
  Result<std::unique_ptr<DeviceEvent>> makeEvent(unsigned flags);
  Status loadCode(const SparsecProgramImage &);
  Result<Function> functionOf(const SparsecKernel &);
  Stream stream(DeviceStream which) const { return streams[int(which)]; }
  /// Until `query` is no longer not ready, with what a person should know where that takes too long.
  Status polled(const std::function<Error()> &query);
  /// The same; after the first error always that.
  Status await(const std::function<Error()> &query);
  std::string where() const; // begins messages

  Runtime cuda;
  DeviceOptions options;
  DeviceBlocks deviceBlocks;
  PinnedBlocks pinnedBlocks;
  Stream streams[deviceStreams] = {};
  std::unique_ptr<Blas> blas;
  std::unique_ptr<Collectives> collectives; // of several ranks
  Cub cub;
  CodeLibrary code = nullptr;
  int number = 0; // of the architecture
  std::map<const SparsecKernel *, Function> functions;
  Status failed;
};

} // namespace sparsec::cuda
