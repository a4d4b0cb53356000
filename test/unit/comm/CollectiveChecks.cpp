#include "Conformance.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace sparsec;

namespace {

using Ints = std::vector<int32_t>;
/// Integers that rank `from` sends to rank `to`.
using Amount = int64_t (*)(int from, int to);

int32_t value(int from, int to, int64_t i) { return static_cast<int32_t>(from * 1000003 + to * 1009 + i); }

/// An all-to-all under way, with its buffers.
struct Exchange {
  std::vector<int64_t> sendBytes, receiveBytes;
  Ints send, receive, expected;
  Pending pending;

  Exchange(Communicator &comm, Amount amount, int salt = 0) {
    for (int peer = 0; peer < comm.size(); ++peer) {
      int64_t out = amount(comm.rank(), peer), in = amount(peer, comm.rank());
      sendBytes.push_back(out * 4);
      receiveBytes.push_back(in * 4);
      for (int64_t i = 0; i < out; ++i)
        send.push_back(value(comm.rank(), peer, i) + salt);
      for (int64_t i = 0; i < in; ++i)
        expected.push_back(value(peer, comm.rank(), i) + salt);
    }
    receive.assign(expected.size(), -1);
  }
  void start(Communicator &comm) {
    auto started = comm.allToAllVStart(send.data(), sendBytes.data(), receive.data(), receiveBytes.data());
    ASSERT_TRUE(started.ok()) << started.status().message();
    pending = std::move(*started);
  }
  void finish() {
    EXPECT_FINE(pending.wait());
    EXPECT_EQ(receive, expected);
  }
};

void exchange(Communicator &comm, Amount amount) {
  Exchange e(comm, amount);
  EXPECT_FINE(comm.allToAllV(e.send.data(), e.sendBytes.data(), e.receive.data(), e.receiveBytes.data()));
  EXPECT_EQ(e.receive, e.expected);
}

void unevenAllToAll(Communicator &comm) {
  exchange(comm, [](int from, int to) -> int64_t { return (3 * from + 5 * to) % 7; });
}
void emptyRanks(Communicator &comm) {
  exchange(comm, [](int from, int to) -> int64_t { return from % 2 ? 0 : to + 1; });
  exchange(comm, [](int from, int to) -> int64_t { return to % 2 ? 0 : from + 1; });
  exchange(comm, [](int from, int to) -> int64_t { return from == 0 && to == 0 ? 5 : 0; });
}
void nothingAtAll(Communicator &comm) {
  exchange(comm, [](int, int) -> int64_t { return 0; });
  std::vector<int64_t> none(comm.size());
  EXPECT_FINE(comm.allToAllV(nullptr, none.data(), nullptr, none.data()));
  EXPECT_FINE(comm.allGatherV(nullptr, nullptr, none.data()));
  EXPECT_FINE(comm.broadcast(nullptr, 0, comm.size() - 1));
}
void longPieces(Communicator &comm) {
  exchange(comm, [](int from, int to) -> int64_t { return 20011 + 997 * from + to; });
}
void evenAllToAll(Communicator &comm) {
  Ints send, receive(comm.size()), expected;
  for (int peer = 0; peer < comm.size(); ++peer) {
    send.push_back(value(comm.rank(), peer, 0));
    expected.push_back(value(peer, comm.rank(), 0));
  }
  EXPECT_FINE(comm.allToAll(send.data(), receive.data(), 4));
  EXPECT_EQ(receive, expected);
}

void allGather(Communicator &comm) {
  for (int base : {0, 1, 3000}) {
    // Rank r gives r + base integers (base 0: rank 0 gives none).
    std::vector<int64_t> bytes;
    Ints expected, mine;
    for (int r = 0; r < comm.size(); ++r) {
      bytes.push_back((r + base) * 4);
      for (int i = 0; i < r + base; ++i) {
        expected.push_back(value(r, 0, i));
        if (r == comm.rank())
          mine.push_back(value(r, 0, i));
      }
    }
    Ints all(expected.size(), -1);
    EXPECT_FINE(comm.allGatherV(mine.data(), all.data(), bytes.data()));
    EXPECT_EQ(all, expected);
    // From its own place in the result.
    Ints inPlace(expected.size(), -1);
    int64_t at = std::accumulate(bytes.begin(), bytes.begin() + comm.rank(), int64_t(0)) / 4;
    std::copy(mine.begin(), mine.end(), inPlace.begin() + at);
    EXPECT_FINE(comm.allGatherV(inPlace.data() + at, inPlace.data(), bytes.data()));
    EXPECT_EQ(inPlace, expected);
  }
  int32_t mine = comm.rank() * 3;
  Ints all(comm.size()), expected;
  for (int r = 0; r < comm.size(); ++r)
    expected.push_back(r * 3);
  EXPECT_FINE(comm.allGather(&mine, all.data(), 4));
  EXPECT_EQ(all, expected);
}

void broadcast(Communicator &comm) {
  for (int root = 0; root < comm.size(); ++root)
    for (int64_t n : {1, 7, 30000}) {
      Ints data(n, comm.rank() == root ? 5 + root : -1);
      EXPECT_FINE(comm.broadcast(data.data(), n * 4, root));
      EXPECT_EQ(data, Ints(n, 5 + root));
    }
  EXPECT_FALSE(comm.broadcast(nullptr, 0, comm.size()).ok());
  EXPECT_FALSE(comm.broadcast(nullptr, 0, -1).ok());
}

void agree(Communicator &comm) {
  auto fine = comm.agree(0, comm.rank() + 1);
  ASSERT_TRUE(fine.ok()) << fine.status().message();
  EXPECT_EQ(fine->status, 0);
  EXPECT_EQ(fine->rank, -1);
  EXPECT_EQ(fine->total, comm.size() * (comm.size() + 1) / 2);
  EXPECT_EQ(fine->before, comm.rank() * (comm.rank() + 1) / 2);
  // Two ranks complain: the lower one is named.
  int low = comm.size() / 2, high = comm.size() - 1;
  auto stop = comm.agree(comm.rank() == low ? 40 : comm.rank() == high ? 50 : 0, 0);
  ASSERT_TRUE(stop.ok()) << stop.status().message();
  EXPECT_EQ(stop->status, 40);
  EXPECT_EQ(stop->rank, low);
}

void severalInFlight(Communicator &comm) {
  Amount small = [](int from, int to) -> int64_t { return (from + 2 * to) % 5; };
  Amount large = [](int from, int to) -> int64_t { return 9000 + from - to; };
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (int i = 0; i < 5; ++i) {
      exchanges.push_back(std::make_unique<Exchange>(comm, i % 2 ? small : large, i));
      exchanges.back()->start(comm);
    }
    EXPECT_FINE(comm.barrier()); // others may pass between start and wait
    for (auto &e : exchanges)
      e->finish();
  }
}

void droppedPendingFinishes(Communicator &comm) {
  Exchange e(comm, [](int from, int to) -> int64_t { return from + to + 1; });
  e.start(comm);
  e.pending = Pending();
  EXPECT_EQ(e.receive, e.expected);
}

/// Ranks that run ahead of others, many small collectives of all kinds.
void mixture(Communicator &comm) {
  std::mt19937 random(7); // the same on all ranks
  Amount amount = [](int from, int to) -> int64_t { return (from * to + from) % 4; };
  for (int i = 0; i < 200; ++i) {
    switch (random() % 4) {
    case 0:
      exchange(comm, amount);
      break;
    case 1: {
      int root = static_cast<int>(random() % comm.size());
      int32_t word = comm.rank() == root ? i : -1;
      EXPECT_FINE(comm.broadcast(&word, 4, root));
      EXPECT_EQ(word, i);
      break;
    }
    case 2: {
      int64_t sum = comm.rank();
      EXPECT_FINE(comm.allReduceSum(&sum, 1));
      EXPECT_EQ(sum, comm.size() * (comm.size() - 1) / 2);
      break;
    }
    default:
      EXPECT_FINE(comm.barrier());
    }
  }
}

} // namespace

const std::vector<test::Check> &test::collectiveChecks() {
  static const std::vector<Check> checks{{"UnevenAllToAll", unevenAllToAll},
                                         {"EmptyRanks", emptyRanks},
                                         {"NothingAtAll", nothingAtAll},
                                         {"LongPieces", longPieces},
                                         {"EvenAllToAll", evenAllToAll},
                                         {"AllGather", allGather},
                                         {"Broadcast", broadcast},
                                         {"Agree", agree},
                                         {"SeveralInFlight", severalInFlight},
                                         {"DroppedPendingFinishes", droppedPendingFinishes},
                                         {"Mixture", mixture}};
  return checks;
}
