// Sums over ranks from transfers alone, added in rank order. Each rank sums one slice, and the slices are gathered;
// short vectors are gathered whole and summed by every rank, which gives the same bits in one message less.
#include "sparsec/Communicator.h"
#include <cstring>

using namespace sparsec;

namespace {

constexpr int64_t gatherWholeBytes = 4096; // up to here one gather is cheaper than two messages

/// out[i] = ((parts[0][i] + parts[1][i]) + ...); parts lie `n` apart. `out` may be none of the parts.
template <typename T> void sumInOrder(T *out, const T *parts, int64_t n, int ranks) {
  constexpr int64_t block = 2048; // the sums stay in the first-level cache
  for (int64_t begin = 0; begin < n; begin += block) {
    int64_t length = std::min(block, n - begin);
    T *sum = out + begin;
    std::memcpy(sum, parts + begin, length * sizeof(T));
    for (int r = 1; r < ranks; ++r) {
      const T *part = parts + r * n + begin;
      for (int64_t i = 0; i < length; ++i)
        sum[i] += part[i];
    }
  }
}

} // namespace

template <typename T> class Communicator::Reduction : public Pending::Operation {
public:
  Reduction(Communicator &comm, T *data, int64_t n) : comm(comm), data(data), n(n) {}

  Status begin() {
    Tag tag = comm.nextTag(CollectiveKind::AllReduce, n);
    whole = n * static_cast<int64_t>(sizeof(T)) <= gatherWholeBytes || n < comm.size();
    if (!whole)
      second = comm.nextTag(CollectiveKind::AllReduceGather, n); // numbered now: others may start before wait()
    mine = whole ? n : slice(comm.rank() + 1) - slice(comm.rank());
    parts.reset(new T[mine * comm.size()]);
    Transfer transfer;
    for (int r = 0; r < comm.size(); ++r) {
      int64_t first = whole ? 0 : slice(r), last = whole ? n : slice(r + 1);
      transfer.send.push_back({data + first, (last - first) * width});
      transfer.receive.push_back({parts.get() + r * mine, mine * width});
    }
    Result<Pending> started = comm.start(tag, std::move(transfer));
    if (!started)
      return started.status();
    pending = std::move(*started);
    return {};
  }

  Status wait() override {
    if (Status done = pending.wait(); !done)
      return done;
    T *sum = whole ? data : data + slice(comm.rank());
    sumInOrder(sum, parts.get(), mine, comm.size());
    if (whole)
      return {};
    std::vector<int64_t> bytes;
    for (int r = 0; r < comm.size(); ++r)
      bytes.push_back((slice(r + 1) - slice(r)) * width);
    return comm.startAndWait(second, comm.gather(sum, data, bytes.data()));
  }

private:
  int64_t slice(int r) const { return n / comm.size() * r + std::min<int64_t>(r, n % comm.size()); }

  static constexpr int64_t width = sizeof(T);
  Communicator &comm;
  T *data;
  int64_t n, mine = 0;
  bool whole = true;
  Tag second{};
  std::unique_ptr<T[]> parts; // after `pending` is gone nobody writes to it
  Pending pending;
};

template <typename T> Result<Pending> Communicator::allReduceSumStart(T *data, int64_t n) {
  if (size() == 1)
    return Pending();
  auto reduction = std::make_unique<Reduction<T>>(*this, data, n);
  if (Status begun = reduction->begin(); !begun)
    return begun;
  return Pending(std::move(reduction));
}

template <typename T> Status Communicator::allReduceSum(T *data, int64_t n) {
  Result<Pending> pending = allReduceSumStart(data, n);
  return pending ? pending->wait() : pending.status();
}

template <typename T> Status Communicator::reduceScatterSum(const T *send, const int64_t *counts, T *receive) {
  int64_t mine = counts[myRank];
  std::unique_ptr<T[]> parts(new T[mine * size()]);
  Transfer transfer;
  int64_t all = 0;
  for (int r = 0; r < size(); ++r) {
    transfer.send.push_back({send + all, counts[r] * static_cast<int64_t>(sizeof(T))});
    transfer.receive.push_back({parts.get() + r * mine, mine * static_cast<int64_t>(sizeof(T))});
    all += counts[r];
  }
  if (Status done = startAndWait(nextTag(CollectiveKind::ReduceScatter, all), std::move(transfer)); !done)
    return done;
  sumInOrder(receive, parts.get(), mine, size());
  return {};
}

#define SPARSEC_INSTANTIATE(T)                                                                                         \
  template Status Communicator::allReduceSum<T>(T *, int64_t);                                                         \
  template Result<Pending> Communicator::allReduceSumStart<T>(T *, int64_t);                                           \
  template Status Communicator::reduceScatterSum<T>(const T *, const int64_t *, T *);
SPARSEC_INSTANTIATE(float)
SPARSEC_INSTANTIATE(double)
SPARSEC_INSTANTIATE(int64_t)
#undef SPARSEC_INSTANTIATE
