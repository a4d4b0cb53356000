#include "Conformance.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace sparsec;

namespace {

/// What rank `r` has at place `i`: sizes so different that the order of a sum shows in its bits.
template <typename T> T term(int r, int64_t i) {
  uint64_t mixed = (uint64_t(r) * 0x9e3779b97f4a7c15 + uint64_t(i) + 1) * 0xbf58476d1ce4e5b9;
  mixed ^= mixed >> 31;
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<T>(mixed % 2000001) - 1000000;
  else
    return static_cast<T>(std::ldexp(double(mixed % 2000003) - 1000001, static_cast<int>(mixed >> 40) % 24 - 12));
}

template <typename T> std::vector<T> terms(int r, int64_t n) {
  std::vector<T> result;
  for (int64_t i = 0; i < n; ++i)
    result.push_back(term<T>(r, i));
  return result;
}

/// Terms of all ranks, added in rank order.
template <typename T> std::vector<T> ordered(int ranks, int64_t n) {
  std::vector<T> sum = terms<T>(0, n);
  for (int r = 1; r < ranks; ++r)
    for (int64_t i = 0; i < n; ++i)
      sum[i] += term<T>(r, i);
  return sum;
}

template <typename T> void expectSameBits(const std::vector<T> &got, const std::vector<T> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  if (!got.empty()) {
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0) << got.size() << " elements";
  }
}

template <typename T> void allReduce(Communicator &comm) {
  for (int64_t n : {0, 1, 5, 600, 1024, 1025, 4999, 50001}) {
    auto data = terms<T>(comm.rank(), n);
    EXPECT_FINE(comm.allReduceSum(data.data(), n));
    expectSameBits(data, ordered<T>(comm.size(), n));
  }
}

template <typename T> void reduceScatter(Communicator &comm) {
  for (int64_t base : {0, 1, 900}) {
    std::vector<int64_t> counts;
    for (int r = 0; r < comm.size(); ++r)
      counts.push_back(base * (r % 3) + r % 2);
    int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t(0));
    int64_t at = std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t(0));
    auto send = terms<T>(comm.rank(), all), sum = ordered<T>(comm.size(), all);
    std::vector<T> got(counts[comm.rank()]);
    EXPECT_FINE(comm.reduceScatterSum(send.data(), counts.data(), got.data()));
    expectSameBits(got, std::vector<T>(sum.begin() + at, sum.begin() + at + counts[comm.rank()]));
  }
}

void startedReductions(Communicator &comm) {
  auto small = terms<float>(comm.rank(), 10), large = terms<float>(comm.rank(), 20000);
  auto doubles = terms<double>(comm.rank(), 3000);
  auto first = comm.allReduceSumStart(large.data(), 20000);
  auto second = comm.allReduceSumStart(small.data(), 10);
  auto third = comm.allReduceSumStart(doubles.data(), 3000);
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  int64_t between = 1;
  EXPECT_FINE(comm.allReduceSum(&between, 1));
  EXPECT_EQ(between, comm.size());
  EXPECT_FINE(first->wait());
  EXPECT_FINE(second->wait());
  EXPECT_FINE(third->wait());
  EXPECT_FINE(third->wait()); // once more does nothing
  expectSameBits(large, ordered<float>(comm.size(), 20000));
  expectSameBits(small, ordered<float>(comm.size(), 10));
  expectSameBits(doubles, ordered<double>(comm.size(), 3000));
}

/// Two sums in flight with all that a training step has between their start and wait: exchanges of uneven pieces, one
/// of them still under way when the sums are waited for, a gather and an agreement.
void reductionsAmongExchanges(Communicator &comm) {
  auto length = [](int from, int to) -> int64_t { return 700 * ((from + 2 * to) % 3); };
  std::vector<int64_t> out, in;
  std::vector<float> send, expected;
  for (int peer = 0; peer < comm.size(); ++peer) {
    int64_t leaves = length(comm.rank(), peer), arrives = length(peer, comm.rank());
    out.push_back(leaves * 4);
    in.push_back(arrives * 4);
    for (int64_t i = 0; i < leaves; ++i)
      send.push_back(term<float>(comm.rank(), i + peer));
    for (int64_t i = 0; i < arrives; ++i)
      expected.push_back(term<float>(peer, i + comm.rank()));
  }
  std::vector<float> early(expected.size()), late(expected.size());
  auto top = terms<float>(comm.rank(), 30000), bottom = terms<float>(comm.rank(), 1500);

  auto before = comm.allToAllVStart(send.data(), out.data(), early.data(), in.data());
  auto first = comm.allReduceSumStart(top.data(), 30000);
  auto after = comm.allToAllVStart(send.data(), out.data(), late.data(), in.data());
  auto second = comm.allReduceSumStart(bottom.data(), 1500);
  ASSERT_TRUE(before.ok() && first.ok() && after.ok() && second.ok());
  EXPECT_FINE(before->wait());
  int32_t mine = comm.rank();
  std::vector<int32_t> ranks(comm.size()), all(comm.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  EXPECT_FINE(comm.allGather(&mine, all.data(), 4));
  EXPECT_EQ(all, ranks);
  auto agreed = comm.agree(0, 1);
  ASSERT_TRUE(agreed.ok()) << agreed.status().message();
  EXPECT_EQ(agreed->total, comm.size());
  EXPECT_FINE(first->wait());
  EXPECT_FINE(second->wait());
  EXPECT_FINE(after->wait());
  expectSameBits(early, expected);
  expectSameBits(late, expected);
  expectSameBits(top, ordered<float>(comm.size(), 30000));
  expectSameBits(bottom, ordered<float>(comm.size(), 1500));
}

// Adjoints: <A x, y> = <x, A' y> over all ranks. Small whole numbers: the sums are exact.

using Vector = std::vector<double>;

Vector whole(int rank, int64_t n, int salt) {
  Vector result;
  for (int64_t i = 0; i < n; ++i)
    result.push_back(double((rank * 31 + i * 17 + salt * 7) % 19 - 9));
  return result;
}

double dot(Communicator &comm, const Vector &x, const Vector &y) {
  EXPECT_EQ(x.size(), y.size());
  double sum = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  EXPECT_FINE(comm.allReduceSum(&sum, 1));
  return sum;
}

void adjointOfAllToAll(Communicator &comm) {
  std::vector<int64_t> out, in;
  for (int peer = 0; peer < comm.size(); ++peer) {
    out.push_back((comm.rank() * 2 + peer * 3) % 5 * 8);
    in.push_back((peer * 2 + comm.rank() * 3) % 5 * 8);
  }
  int64_t sent = std::accumulate(out.begin(), out.end(), int64_t(0)) / 8;
  int64_t received = std::accumulate(in.begin(), in.end(), int64_t(0)) / 8;
  Vector x = whole(comm.rank(), sent, 1), y = whole(comm.rank(), received, 2), ax(received), aty(sent);
  EXPECT_FINE(comm.allToAllV(x.data(), out.data(), ax.data(), in.data()));
  EXPECT_FINE(comm.allToAllV(y.data(), in.data(), aty.data(), out.data()));
  EXPECT_EQ(dot(comm, ax, y), dot(comm, x, aty));
}

void adjointOfAllGather(Communicator &comm) {
  std::vector<int64_t> counts, bytes;
  for (int r = 0; r < comm.size(); ++r) {
    counts.push_back(r % 3 + 1);
    bytes.push_back(counts.back() * 8);
  }
  int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t(0)), mine = counts[comm.rank()];
  Vector x = whole(comm.rank(), mine, 3), y = whole(comm.rank(), all, 4), ax(all), aty(mine);
  EXPECT_FINE(comm.allGatherV(x.data(), ax.data(), bytes.data()));
  EXPECT_FINE(comm.reduceScatterSum(y.data(), counts.data(), aty.data()));
  EXPECT_EQ(dot(comm, ax, y), dot(comm, x, aty));
}

void adjointOfAllReduce(Communicator &comm) {
  Vector x = whole(comm.rank(), 700, 5), y = whole(comm.rank(), 700, 6), ax = x, aty = y;
  EXPECT_FINE(comm.allReduceSum(ax.data(), 700));
  EXPECT_FINE(comm.allReduceSum(aty.data(), 700));
  EXPECT_EQ(dot(comm, ax, y), dot(comm, x, aty));
}

/// x lives on the root alone; the adjoint is the sum there.
void adjointOfBroadcast(Communicator &comm) {
  int root = comm.size() - 1;
  bool here = comm.rank() == root;
  Vector x = here ? whole(root, 12, 7) : Vector(12), y = whole(comm.rank(), 12, 8), ax = x;
  EXPECT_FINE(comm.broadcast(ax.data(), 12 * 8, root));
  std::vector<int64_t> counts(comm.size());
  counts[root] = 12;
  Vector aty(12);
  EXPECT_FINE(comm.reduceScatterSum(y.data(), counts.data(), aty.data()));
  EXPECT_EQ(dot(comm, ax, y), dot(comm, x, aty));
}

} // namespace

const std::vector<test::Check> &test::reductionChecks() {
  static const std::vector<Check> checks{
      {"AllReduceFloat", allReduce<float>},           {"AllReduceDouble", allReduce<double>},
      {"AllReduceInt64", allReduce<int64_t>},         {"ReduceScatterFloat", reduceScatter<float>},
      {"ReduceScatterDouble", reduceScatter<double>}, {"ReduceScatterInt64", reduceScatter<int64_t>},
      {"StartedReductions", startedReductions},       {"ReductionsAmongExchanges", reductionsAmongExchanges},
      {"AdjointOfAllToAll", adjointOfAllToAll},       {"AdjointOfAllGather", adjointOfAllGather},
      {"AdjointOfAllReduce", adjointOfAllReduce},     {"AdjointOfBroadcast", adjointOfBroadcast}};
  return checks;
}
