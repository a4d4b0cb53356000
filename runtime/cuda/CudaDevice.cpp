#include "CudaDevice.h"
#include <fmt/format.h>
#include <thread>

namespace sparsec::cuda {

namespace {

struct CudaEvent : DeviceEvent {
  CudaEvent(const Runtime &cuda, Event event) : cuda(cuda), event(event) {}
  ~CudaEvent() override { cuda.eventDestroy(event); }
  const Runtime &cuda;
  Event event;
};

struct CudaGraph : DeviceGraph {
  CudaGraph(const Runtime &cuda, GraphExec executable) : cuda(cuda), executable(executable) {}
  ~CudaGraph() override { cuda.graphExecDestroy(executable); }
  const Runtime &cuda;
  GraphExec executable;
};

} // namespace

//===- memory ----------------------------------------------------------------------------------------------------===//

void *CudaDevice::DeviceBlocks::allocate(int64_t bytes) {
  void *memory = nullptr;
  if (cuda.malloc(&memory, size_t(std::max<int64_t>(bytes, 1))) != success) {
    cuda.getLastError(); // it is told by the null
    return nullptr;
  }
  return memory;
}
void CudaDevice::DeviceBlocks::free(void *memory) { cuda.free(memory); }

void *CudaDevice::PinnedBlocks::allocate(int64_t bytes) {
  void *memory = nullptr;
  if (cuda.mallocHost(&memory, size_t(std::max<int64_t>(bytes, 1))) != success) {
    cuda.getLastError();
    return nullptr;
  }
  return memory;
}
void CudaDevice::PinnedBlocks::free(void *memory) { cuda.freeHost(memory); }

//===- streams ---------------------------------------------------------------------------------------------------===//

std::string CudaDevice::where() const {
  return options.ranks > 1 ? fmt::format("rank {} (GPU {}): ", options.rank, options.device) : std::string();
}

Result<std::unique_ptr<DeviceEvent>> CudaDevice::makeEvent(unsigned flags) {
  Event event = nullptr;
  if (Status status = cuda.check(cuda.eventCreateWithFlags(&event, flags), "making an event"); !status)
    return status;
  return std::unique_ptr<DeviceEvent>(new CudaEvent(cuda, event));
}
Status CudaDevice::record(DeviceStream which, DeviceEvent &event) {
  return cuda.check(cuda.eventRecord(static_cast<CudaEvent &>(event).event, stream(which)), "recording an event");
}
Status CudaDevice::wait(DeviceStream which, DeviceEvent &event) {
  return cuda.check(cuda.streamWaitEvent(stream(which), static_cast<CudaEvent &>(event).event, 0),
                    "waiting for an event");
}

Result<double> CudaDevice::milliseconds(DeviceEvent &from, DeviceEvent &to) {
  float between = 0;
  Status status = cuda.check(
      cuda.eventElapsedTime(&between, static_cast<CudaEvent &>(from).event, static_cast<CudaEvent &>(to).event),
      "reading the time between events");
  return status ? Result<double>(double(between)) : status;
}

Status CudaDevice::copyToDevice(DeviceStream which, void *to, const void *from, int64_t bytes) {
  return cuda.check(cuda.memcpyAsync(to, from, size_t(bytes), memcpyDefault, stream(which)), "copying to the GPU");
}
Status CudaDevice::copyToHost(DeviceStream which, void *to, const void *from, int64_t bytes) {
  return cuda.check(cuda.memcpyAsync(to, from, size_t(bytes), memcpyDefault, stream(which)), "copying from the GPU");
}

/// Polls, since a collective whose other ranks are gone never ends by itself.
Status CudaDevice::polled(const std::function<Error()> &query) {
  auto since = std::chrono::steady_clock::now();
  for (;;) {
    Error code = query();
    if (code != errorNotReady)
      return cuda.check(code, (where() + "working on the GPU").c_str());
    if (collectives)
      if (Status status = collectives->check(); !status)
        return Status::error(where() + status.message());
    auto waited = std::chrono::steady_clock::now() - since;
    if (waited > options.timeout)
      return Status::error(fmt::format("{}no answer from the other GPUs for {} s in {}; has a rank ended, or does NCCL "
                                       "use the wrong network (NCCL_SOCKET_IFNAME, NCCL_DEBUG=INFO)?",
                                       where(), options.timeout.count() / 1000,
                                       collectives ? collectives->last() : "a kernel"));
    if (waited > std::chrono::milliseconds(2))
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Status CudaDevice::await(const std::function<Error()> &query) {
  if (failed.ok())
    failed = polled(query);
  if (!failed.ok() && collectives)
    collectives->abort();
  return failed;
}

Status CudaDevice::synchronize() {
  return await([this] {
    for (Stream of : streams)
      if (Error code = cuda.streamQuery(of); code != success)
        return code;
    return Error(success);
  });
}

Status CudaDevice::awaitOnHost(DeviceEvent &event) {
  return await([&] { return cuda.eventQuery(static_cast<CudaEvent &>(event).event); });
}

//===- graphs ----------------------------------------------------------------------------------------------------===//

/// Other threads of the process go on using CUDA meanwhile. What makes a capture fail is told by the error of the call,
/// and leaves the stream as it was.
Result<std::unique_ptr<DeviceGraph>> CudaDevice::capture(const std::function<Status()> &ask) {
  Stream compute = stream(DeviceStream::compute);
  Status status = cuda.check(cuda.streamBeginCapture(compute, captureThreadLocal), "capturing a graph");
  if (!status)
    return status;
  status = ask();
  Graph graph = nullptr;
  Status ended = cuda.check(cuda.streamEndCapture(compute, &graph), "capturing a graph");
  GraphExec executable = nullptr;
  if (status.ok() && ended.ok())
    status = cuda.check(cuda.graphInstantiate(&executable, graph, 0), "making a graph");
  if (graph)
    cuda.graphDestroy(graph);
  cuda.getLastError(); // of the capture; it is told by the status
  if (!status.ok() || !ended.ok())
    return status.ok() ? ended : status;
  return std::unique_ptr<DeviceGraph>(new CudaGraph(cuda, executable));
}

Status CudaDevice::launch(DeviceGraph &graph) {
  return cuda.check(cuda.graphLaunch(static_cast<CudaGraph &>(graph).executable, stream(DeviceStream::compute)),
                    "launching a graph");
}

//===- work ------------------------------------------------------------------------------------------------------===//

Result<Function> CudaDevice::functionOf(const SparsecKernel &kernel) {
  if (auto found = functions.find(&kernel); found != functions.end())
    return found->second;
  Function function = nullptr;
  if (Status status = cuda.check(cuda.libraryGetKernel(&function, code, kernel.name),
                                 fmt::format("looking for kernel `{}`", kernel.name).c_str());
      !status)
    return status;
  return functions[&kernel] = function;
}

Status CudaDevice::launch(DeviceStream which, const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) {
  constexpr int64_t mostBlocks = 0x7fffffff;
  if (blocks <= 0)
    return {};
  if (blocks > mostBlocks)
    return Status::error(
        fmt::format("kernel `{}` needs {} blocks: expected at most {}", kernel.name, blocks, mostBlocks));
  Result<Function> function = functionOf(kernel);
  if (!function)
    return function.status();
  void *addresses[1024];
  if (kernel.arguments > int(std::size(addresses)))
    return Status::error(fmt::format("kernel `{}` has {} arguments", kernel.name, kernel.arguments));
  for (int32_t i = 0; i < kernel.arguments; ++i)
    addresses[i] = const_cast<int64_t *>(arguments + i);
  Dim3 grid{unsigned(blocks), 1, 1}, block{unsigned(kernel.threads), 1, 1};
  return cuda.check(cuda.launchKernel(*function, grid, block, addresses, 0, stream(which)), kernel.name);
}

Status CudaDevice::gemm(DeviceStream which, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a,
                        const float *b, float *with, float *c) {
  return blas->gemm(stream(which), flags, m, n, k, a, b, with, c);
}

int64_t CudaDevice::sortScratch(int64_t n) {
  size_t bytes = 0;
  cub.sortPairs(nullptr, &bytes, nullptr, nullptr, nullptr, nullptr, n, 64, nullptr);
  return int64_t(bytes);
}
Result<SortedPairs<uint32_t>> CudaDevice::sortPairs(DeviceStream which, uint64_t *keys, uint32_t *values, int64_t n,
                                                    int bits, uint64_t *otherKeys, uint32_t *otherValues,
                                                    void *scratch) {
  size_t bytes = size_t(sortScratch(n));
  if (Status status = cuda.check(
          cub.sortPairs(scratch, &bytes, keys, otherKeys, values, otherValues, n, bits, stream(which)), "sorting ids");
      !status)
    return status;
  return SortedPairs<uint32_t>{otherKeys, otherValues};
}

int64_t CudaDevice::runsScratch(int64_t n) {
  size_t bytes = 0;
  cub.runs(nullptr, &bytes, nullptr, n, nullptr, nullptr);
  return int64_t(bytes);
}
Status CudaDevice::runs(DeviceStream which, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) {
  size_t bytes = size_t(runsScratch(n));
  return cuda.check(cub.runs(scratch, &bytes, keys, n, run, stream(which)), "counting distinct ids");
}

Status CudaDevice::allToAllV(DeviceStream which, Communicator &ranks, const void *send, const int64_t *sendBytes,
                             void *receive, const int64_t *receiveBytes) {
  return ranks.size() == 1 ? copyToDevice(which, receive, send, sendBytes[0])
                           : collectives->allToAllV(stream(which), ranks, send, sendBytes, receive, receiveBytes);
}
Status CudaDevice::allGatherV(DeviceStream which, Communicator &ranks, const void *send, void *receive,
                              const int64_t *bytes) {
  if (ranks.size() == 1)
    return send == receive ? Status() : copyToDevice(which, receive, send, bytes[0]);
  return collectives->allGatherV(stream(which), ranks, send, receive, bytes);
}
Status CudaDevice::allReduceSum(DeviceStream which, Communicator &ranks, float *data, int64_t n) {
  return ranks.size() == 1 ? Status() : collectives->allReduceSum(stream(which), ranks, data, n);
}

} // namespace sparsec::cuda
