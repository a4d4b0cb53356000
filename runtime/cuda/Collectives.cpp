#include "Collectives.h"
#include <cstring>
#include <fmt/format.h>

namespace sparsec::cuda {

Result<std::unique_ptr<Collectives>> Collectives::open() {
  Result<Nccl> library = Nccl::open();
  if (!library)
    return library.status();
  return std::unique_ptr<Collectives>(new Collectives(std::move(*library)));
}

Collectives::~Collectives() {
  for (auto &[ranks, group] : groups)
    nccl.commDestroy(group);
}

/// All ranks come here with their first collective over these ranks.
Result<nccl::Comm> Collectives::groupOf(Communicator &ranks) {
  if (auto found = groups.find(&ranks); found != groups.end())
    return found->second;
  struct {
    int code = nccl::success;
    nccl::UniqueId id{};
  } start;
  if (ranks.rank() == 0)
    start.code = nccl.getUniqueId(&start.id);
  if (Status status = ranks.broadcast(&start, sizeof start, 0); !status)
    return status;
  if (Status status = nccl.check(start.code, "starting NCCL"); !status)
    return status;
  nccl::Comm group = nullptr;
  if (Status status = nccl.check(nccl.commInitRank(&group, ranks.size(), start.id, ranks.rank()),
                                 "joining the GPUs of all ranks (is there one GPU for each rank?)");
      !status)
    return status;
  return groups[&ranks] = group;
}

void Collectives::note(const char *what, const Communicator &ranks) {
  lastAsked = fmt::format("{} of {} ranks", what, ranks.size());
}

Status Collectives::allToAllV(Stream stream, Communicator &ranks, const void *send, const int64_t *sendBytes,
                              void *receive, const int64_t *receiveBytes) {
  note("all-to-all", ranks);
  Result<nccl::Comm> group = groupOf(ranks);
  if (!group)
    return group.status();
  auto *from = static_cast<const std::byte *>(send);
  auto *to = static_cast<std::byte *>(receive);
  Status status = nccl.check(nccl.groupStart(), "all-to-all");
  for (int r = 0; r < ranks.size() && status.ok(); ++r) {
    if (sendBytes[r])
      status = nccl.check(nccl.send(from, size_t(sendBytes[r]), nccl::int8, r, *group, stream), "all-to-all");
    if (status.ok() && receiveBytes[r])
      status = nccl.check(nccl.recv(to, size_t(receiveBytes[r]), nccl::int8, r, *group, stream), "all-to-all");
    from += sendBytes[r];
    to += receiveBytes[r];
  }
  Status ended = nccl.check(nccl.groupEnd(), "all-to-all");
  return status.ok() ? ended : status;
}

Status Collectives::allGatherV(Stream stream, Communicator &ranks, const void *send, void *receive,
                               const int64_t *bytes) {
  note("all-gather", ranks);
  Result<nccl::Comm> group = groupOf(ranks);
  if (!group)
    return group.status();
  bool even = true;
  for (int r = 1; r < ranks.size(); ++r)
    even &= bytes[r] == bytes[0];
  if (even)
    return nccl.check(nccl.allGather(send, receive, size_t(bytes[0]), nccl::int8, *group, stream), "all-gather");
  auto *to = static_cast<std::byte *>(receive);
  Status status = nccl.check(nccl.groupStart(), "all-gather");
  for (int r = 0; r < ranks.size() && status.ok(); ++r) {
    if (int64_t mine = bytes[ranks.rank()])
      status = nccl.check(nccl.send(send, size_t(mine), nccl::int8, r, *group, stream), "all-gather");
    if (status.ok() && bytes[r])
      status = nccl.check(nccl.recv(to, size_t(bytes[r]), nccl::int8, r, *group, stream), "all-gather");
    to += bytes[r];
  }
  Status ended = nccl.check(nccl.groupEnd(), "all-gather");
  return status.ok() ? ended : status;
}

Status Collectives::allReduceSum(Stream stream, Communicator &ranks, float *data, int64_t n) {
  note("all-reduce", ranks);
  Result<nccl::Comm> group = groupOf(ranks);
  if (!group)
    return group.status();
  return nccl.check(nccl.allReduce(data, data, size_t(n), nccl::float32, nccl::sum, *group, stream), "all-reduce");
}

Status Collectives::check() const {
  for (auto &[ranks, group] : groups) {
    int code = nccl::success;
    Status asked = nccl.check(nccl.commGetAsyncError(group, &code), "asking NCCL");
    if (asked.ok() && code != nccl::inProgress)
      asked = nccl.check(code, lastAsked.c_str());
    if (!asked)
      return asked;
  }
  return {};
}

void Collectives::abort() {
  for (auto &[ranks, group] : groups)
    nccl.commAbort(group);
  groups.clear();
}

} // namespace sparsec::cuda
