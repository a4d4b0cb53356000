#include "sparsec/Communicator.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace sparsec;

const char *sparsec::name(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::Barrier:
    return "barrier";
  case CollectiveKind::AllToAll:
    return "all-to-all";
  case CollectiveKind::AllGather:
    return "all-gather";
  case CollectiveKind::Broadcast:
    return "broadcast";
  case CollectiveKind::AllReduce:
    return "all-reduce";
  case CollectiveKind::AllReduceGather:
    return "all-reduce (second half)";
  case CollectiveKind::ReduceScatter:
    return "reduce-scatter";
  case CollectiveKind::Agree:
    return "agree";
  case CollectiveKind::Split:
    return "split";
  }
  return "?";
}

Communicator::~Communicator() = default;

std::string Communicator::describe(const Tag &tag) const {
  std::string size = tag.detail ? fmt::format(" of {}", tag.detail) : std::string();
  return fmt::format("`{}`{} (call {})", name(tag.kind), size, tag.call);
}

Status Communicator::startAndWait(const Tag &tag, Transfer transfer) {
  Result<Pending> pending = start(tag, std::move(transfer));
  return pending ? pending->wait() : pending.status();
}

Result<Pending> Communicator::allToAllVStart(const void *send, const int64_t *sendBytes, void *receive,
                                             const int64_t *receiveBytes) {
  Transfer transfer;
  auto *out = static_cast<const char *>(send);
  auto *in = static_cast<char *>(receive);
  for (int i = 0; i < size(); ++i) {
    transfer.send.push_back({out, sendBytes[i]});
    transfer.receive.push_back({in, receiveBytes[i]});
    // An empty piece must not move a null pointer.
    out = sendBytes[i] ? out + sendBytes[i] : out;
    in = receiveBytes[i] ? in + receiveBytes[i] : in;
  }
  return start(nextTag(CollectiveKind::AllToAll), std::move(transfer));
}

Status Communicator::allToAllV(const void *send, const int64_t *sendBytes, void *receive, const int64_t *receiveBytes) {
  Result<Pending> pending = allToAllVStart(send, sendBytes, receive, receiveBytes);
  return pending ? pending->wait() : pending.status();
}

Status Communicator::allToAll(const void *send, void *receive, int64_t bytes) {
  std::vector<int64_t> each(size(), bytes);
  return allToAllV(send, each.data(), receive, each.data());
}

Communicator::Transfer Communicator::gather(const void *send, void *receive, const int64_t *bytes) const {
  Transfer transfer;
  auto *in = static_cast<char *>(receive);
  for (int i = 0; i < size(); ++i) {
    transfer.send.push_back({send, bytes[myRank]});
    transfer.receive.push_back({in, bytes[i]});
    in = bytes[i] ? in + bytes[i] : in;
  }
  return transfer;
}

Result<Pending> Communicator::allGatherVStart(const void *send, void *receive, const int64_t *bytes) {
  return start(nextTag(CollectiveKind::AllGather, std::accumulate(bytes, bytes + size(), int64_t(0))),
               gather(send, receive, bytes));
}

Status Communicator::allGatherV(const void *send, void *receive, const int64_t *bytes) {
  Result<Pending> pending = allGatherVStart(send, receive, bytes);
  return pending ? pending->wait() : pending.status();
}

Status Communicator::allGather(const void *send, void *receive, int64_t bytes) {
  std::vector<int64_t> each(size(), bytes);
  return allGatherV(send, receive, each.data());
}

Status Communicator::broadcast(void *data, int64_t bytes, int root) {
  if (root < 0 || root >= size())
    return Status::error(fmt::format("broadcast from rank {}, but there are {} ranks", root, size()));
  Transfer transfer;
  transfer.send.assign(size(), {data, root == myRank ? bytes : 0});
  transfer.receive.assign(size(), {data, 0});
  transfer.receive[root].bytes = bytes;
  return startAndWait(nextTag(CollectiveKind::Broadcast, bytes), std::move(transfer));
}

Status Communicator::barrier() {
  char out = 0;
  std::vector<char> in(size());
  std::vector<int64_t> each(size(), 1);
  return startAndWait(nextTag(CollectiveKind::Barrier), gather(&out, in.data(), each.data()));
}

Result<Agreement> Communicator::agree(int64_t status, int64_t length) {
  struct Word {
    int64_t status, size;
  };
  Word mine{status, length};
  std::vector<Word> words(size());
  std::vector<int64_t> each(size(), sizeof(Word));
  Status sent = startAndWait(nextTag(CollectiveKind::Agree), gather(&mine, words.data(), each.data()));
  if (!sent)
    return sent;
  Agreement result;
  for (int i = 0; i < size(); ++i) {
    if (words[i].status && !result.status) {
      result.status = words[i].status;
      result.rank = programRanks[i];
    }
    result.before += i < myRank ? words[i].size : 0;
    result.total += words[i].size;
  }
  return result;
}

Result<std::unique_ptr<Communicator>> Communicator::split(int color, int key) {
  struct Wish {
    int color, key;
  };
  Wish mine{color, key};
  std::vector<Wish> wishes(size());
  std::vector<int64_t> each(size(), sizeof(Wish));
  Tag tag = nextTag(CollectiveKind::Split);
  if (Status sent = startAndWait(tag, gather(&mine, wishes.data(), each.data())); !sent)
    return sent;
  std::vector<int> members;
  for (int i = 0; i < size(); ++i)
    if (wishes[i].color == color)
      members.push_back(i);
  std::sort(members.begin(), members.end(),
            [&](int x, int y) { return std::pair(wishes[x].key, x) < std::pair(wishes[y].key, y); });
  int place = static_cast<int>(std::find(members.begin(), members.end(), myRank) - members.begin());
  return makeGroup(tag.call, color, members, place);
}
