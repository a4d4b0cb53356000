#include "device/NotedWork.h"

namespace sparsec {

static int64_t word(const void *address) { return WorkList::word(address); }

Status NotedWork::submit() {
  Status status = before();
  WorkList::Words left = work.all();
  while (status.ok() && !left.empty()) {
    size_t length = 0; // of the work up to the next event or message
    while (length < left.size() && WorkList::computes(WorkList::first(left.subspan(length))))
      length += WorkList::first(left.subspan(length)).size();
    if (length > 0) {
      status = known.ask(*behind, left.first(length));
    } else {
      length = WorkList::first(left).size();
      status = WorkList::ask(*behind, left.first(length));
    }
    left = left.subspan(length);
  }
  work.clear();
  return status;
}

Result<TimedDevice *> NotedWork::startTimes() {
  known = {}; // pieces of a graph have no times
  Result<std::unique_ptr<TimedDevice>> made = TimedDevice::create(behind);
  if (!made)
    return made.status();
  TimedDevice *timed = made->get();
  behind = std::move(*made);
  return timed;
}

Status NotedWork::synchronize() {
  Status status = submit();
  return status.ok() ? behind->synchronize() : status;
}

Status NotedWork::awaitOnHost(DeviceEvent &event) {
  Status status = submit();
  return status.ok() ? behind->awaitOnHost(event) : status;
}

Result<std::unique_ptr<DeviceGraph>> NotedWork::capture(const std::function<Status()> &) {
  return Status::error("work that is noted is captured when it is submitted");
}

Status NotedWork::launch(DeviceGraph &graph) {
  Status status = submit();
  return status.ok() ? behind->launch(graph) : status;
}

Status NotedWork::record(DeviceStream stream, DeviceEvent &event) {
  return work.add(WorkList::record, stream, {word(&event)}), Status();
}

Status NotedWork::wait(DeviceStream stream, DeviceEvent &event) {
  return work.add(WorkList::wait, stream, {word(&event)}), Status();
}

Status NotedWork::copyToDevice(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  return work.add(WorkList::copyToDevice, stream, {word(to), word(from), bytes}), Status();
}

Status NotedWork::copyToHost(DeviceStream stream, void *to, const void *from, int64_t bytes) {
  return work.add(WorkList::copyToHost, stream, {word(to), word(from), bytes}), Status();
}

Status NotedWork::launch(DeviceStream stream, const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) {
  if (blocks > 0)
    work.add(WorkList::launch, stream, {word(&kernel), blocks}, {arguments, size_t(kernel.arguments)});
  return {};
}

Status NotedWork::gemm(DeviceStream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a,
                       const float *b, float *with, float *c) {
  return work.add(WorkList::gemm, stream, {flags, m, n, k, word(a), word(b), word(with), word(c)}), Status();
}

Result<SortedPairs<uint32_t>> NotedWork::sortPairs(DeviceStream stream, uint64_t *keys, uint32_t *values, int64_t n,
                                                   int bits, uint64_t *otherKeys, uint32_t *otherValues,
                                                   void *scratch) {
  work.add(WorkList::sortPairs, stream,
           {word(keys), word(values), n, bits, word(otherKeys), word(otherValues), word(scratch)});
  return SortedPairs<uint32_t>{otherKeys, otherValues};
}

Status NotedWork::runs(DeviceStream stream, const uint64_t *keys, int64_t n, uint32_t *run, void *scratch) {
  return work.add(WorkList::runs, stream, {word(keys), n, word(run), word(scratch)}), Status();
}

Status NotedWork::allToAllV(DeviceStream stream, Communicator &ranks, const void *send, const int64_t *sendBytes,
                            void *receive, const int64_t *receiveBytes) {
  auto n = size_t(ranks.size());
  work.add(WorkList::allToAllV, stream, {word(&ranks), word(send), word(receive)}, {sendBytes, n}, {receiveBytes, n});
  return {};
}

Status NotedWork::allGatherV(DeviceStream stream, Communicator &ranks, const void *send, void *receive,
                             const int64_t *bytes) {
  work.add(WorkList::allGatherV, stream, {word(&ranks), word(send), word(receive)}, {bytes, size_t(ranks.size())});
  return {};
}

Status NotedWork::allReduceSum(DeviceStream stream, Communicator &ranks, float *data, int64_t n) {
  return work.add(WorkList::allReduceSum, stream, {word(&ranks), word(data), n}), Status();
}

} // namespace sparsec
