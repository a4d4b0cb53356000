// A device that works behind the host: memory, streams, launches and library work. What is asked of a stream is done in
// its order and between streams in any order that events allow, some time before the host has waited for it. Whoever
// asks keeps all memory that work names until then, the host's too, and writes to none of it in between: a backend may
// copy what the host gave at any moment. Small things (arguments, counts) are taken at once.
#pragma once
#include "device/DeviceClock.h"
#include "sparsec/Communicator.h"
#include "sparsec/Memory.h"
#include "sparsec/Sort.h"
#include "sparsec/Status.h"
#include "sparsec/abi.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace sparsec {

/// Messages between ranks have a stream of their own, so that they run beside kernels; so have copies of what the next
/// step needs.
enum class DeviceStream { compute, communication, copy };
constexpr int deviceStreams = 3;

class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
};

/// Work of the compute stream that can be asked for again by one call.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
};

class Device {
public:
  virtual ~Device() = default;

  /// Memory of the device, and memory of the host that copies to and from it may name (pinned).
  virtual BlockSource &memory() = 0;
  virtual BlockSource &hostMemory() = 0;

  virtual Result<std::unique_ptr<DeviceEvent>> makeEvent() = 0;
  /// The event is what the stream has been asked for until now; `stream` goes on when what the last record() of the
  /// event covered is done.
  virtual Status record(DeviceStream, DeviceEvent &) = 0;
  virtual Status wait(DeviceStream stream, DeviceEvent &) = 0;
  /// Returns when all streams have done what they were asked for; the first error of any of it, always the same after
  /// that. The host waits here alone, and ranks that run collectives call it at the same places.
  virtual Status synchronize() = 0;
  /// Returns when what the last record() of the event covered is done; the first error, as synchronize(). Of other work
  /// some may be done by then.
  virtual Status awaitOnHost(DeviceEvent &) = 0;

  /// What `ask` asks the compute stream for, which is not done now. It asks for nothing else of the device. An error:
  /// this work cannot be kept, and has to be asked for directly; the device goes on.
  virtual Result<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &ask) = 0;
  /// All of it, in the compute stream. A graph outlives its work.
  virtual Status launch(DeviceGraph &) = 0;

  virtual Status copyToDevice(DeviceStream, void *to, const void *from, int64_t bytes) = 0;
  virtual Status copyToHost(DeviceStream, void *to, const void *from, int64_t bytes) = 0;

  /// No blocks: nothing happens.
  virtual Status launch(DeviceStream, const SparsecKernel &, int64_t blocks, const int64_t *arguments) = 0;
  /// As abi.h's sparsec_gemm.
  virtual Status gemm(DeviceStream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                      float *with, float *c) = 0;

  /// As Sort.h's, on device memory: n < 2^32 pairs by the low `bits` bits of their keys, which have no others. The
  /// result lies in the other arrays. `scratch`: sortScratch(n) bytes.
  virtual int64_t sortScratch(int64_t n) = 0;
  virtual Result<SortedPairs<uint32_t>> sortPairs(DeviceStream, uint64_t *keys, uint32_t *values, int64_t n, int bits,
                                                  uint64_t *otherKeys, uint32_t *otherValues, void *scratch) = 0;
  /// run[k] = how many keys before and at position k, but for the first, differ from the one before them: the number of
  /// the run of equal keys that k is in. `scratch`: runsScratch(n) bytes.
  virtual int64_t runsScratch(int64_t n) = 0;
  virtual Status runs(DeviceStream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) = 0;

  // Collectives of device memory, as Communicator's; bytes for each rank. The communicator says which ranks; nothing
  // else may use it.
  virtual Status allToAllV(DeviceStream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                           const int64_t *receiveBytes) = 0;
  virtual Status allGatherV(DeviceStream, Communicator &, const void *send, void *receive, const int64_t *bytes) = 0;
  virtual Status allReduceSum(DeviceStream, Communicator &, float *data, int64_t n) = 0;

  /// Null: nobody knows how long work takes.
  virtual DeviceClock *clock() { return nullptr; }
};

} // namespace sparsec
