#include "Conformance.h"
#include "sparsec/abi.h"
#include <gtest/gtest.h>
#include <thread>

using namespace sparsec;

namespace {

std::vector<int> programRanks(Communicator &comm) {
  int32_t mine = comm.programRank();
  std::vector<int> all(comm.size()), told;
  EXPECT_FINE(comm.allGather(&mine, all.data(), 4));
  for (int r = 0; r < comm.size(); ++r)
    told.push_back(comm.programRank(r));
  EXPECT_EQ(all, told);
  return all;
}

void splitByParity(Communicator &comm) {
  auto half = comm.split(comm.rank() % 2, comm.rank());
  ASSERT_TRUE(half.ok()) << half.status().message();
  std::vector<int> expected;
  for (int r = comm.rank() % 2; r < comm.size(); r += 2)
    expected.push_back(r);
  EXPECT_EQ(programRanks(**half), expected);
  EXPECT_EQ((*half)->rank(), comm.rank() / 2);
  // Groups do not hear each other.
  int64_t sum = comm.rank();
  EXPECT_FINE((*half)->allReduceSum(&sum, 1));
  int64_t expectedSum = 0;
  for (int r : expected)
    expectedSum += r;
  EXPECT_EQ(sum, expectedSum);
}

void splitInOrderOfKeys(Communicator &comm) {
  auto reversed = comm.split(3, -comm.rank());
  ASSERT_TRUE(reversed.ok()) << reversed.status().message();
  EXPECT_EQ((*reversed)->rank(), comm.size() - 1 - comm.rank());
  std::vector<int> expected;
  for (int r = comm.size() - 1; r >= 0; --r)
    expected.push_back(r);
  EXPECT_EQ(programRanks(**reversed), expected);
  // A group of a group still knows the program's ranks.
  auto again = (*reversed)->split((*reversed)->rank() < 2, 0);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ((*again)->programRank(), comm.rank());
  programRanks(**again);
}

void splitIntoSingles(Communicator &comm) {
  auto alone = comm.split(comm.rank(), 0);
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  EXPECT_EQ((*alone)->size(), 1);
  EXPECT_EQ((*alone)->programRank(), comm.rank());
  float x = 3;
  EXPECT_FINE((*alone)->allReduceSum(&x, 1));
  EXPECT_EQ(x, 3);
  // Some alone, some not.
  auto rest = comm.split(comm.rank() == 0 ? 0 : 1, 0);
  ASSERT_TRUE(rest.ok()) << rest.status().message();
  EXPECT_EQ((*rest)->size(), comm.rank() == 0 ? 1 : comm.size() - 1);
  programRanks(**rest);
}

/// Two threads of a rank, each with its own communicator, need no common order.
void duplicateInAnotherThread(Communicator &comm) {
  auto other = comm.duplicate();
  ASSERT_TRUE(other.ok()) << other.status().message();
  auto work = [](Communicator &mine, int64_t step) {
    for (int i = 0; i < 100; ++i) {
      int64_t sum = step;
      EXPECT_FINE(mine.allReduceSum(&sum, 1));
      EXPECT_EQ(sum, step * mine.size());
    }
  };
  std::thread thread([&] { work(**other, 5); });
  work(comm, 9);
  thread.join();
}

void axesOfEveryMesh(Communicator &comm) {
  for (int64_t groups = 1; groups <= comm.size(); ++groups)
    for (int64_t nodes = 1; groups * nodes <= comm.size(); ++nodes) {
      Mesh mesh{groups, nodes, comm.size() / (groups * nodes)};
      if (mesh.ranks() != comm.size())
        continue;
      auto axes = AxisCommunicators::create(comm, mesh);
      ASSERT_TRUE(axes.ok()) << axes.status().message();
      int64_t shard = comm.rank() % mesh.shards, node = comm.rank() / mesh.shards % nodes,
              group = comm.rank() / mesh.groupSize();
      for (int32_t mask = 0; mask < 8; ++mask) {
        std::vector<int> expected;
        for (int r = 0; r < comm.size(); ++r)
          if ((mask & SPARSEC_AXIS_SHARD || r % mesh.shards == shard) &&
              (mask & SPARSEC_AXIS_NODE || r / mesh.shards % nodes == node) &&
              (mask & SPARSEC_AXIS_REPLICATE || r / mesh.groupSize() == group))
            expected.push_back(r);
        EXPECT_EQ(programRanks(axes->get(mask)), expected)
            << groups << " x " << nodes << " x " << mesh.shards << ", axes " << mask;
        EXPECT_EQ(axes->get(mask).programRank(), comm.rank());
      }
    }
}

void meshOfAnotherSize(Communicator &comm) {
  auto axes = AxisCommunicators::create(comm, Mesh{2, 1, comm.size()});
  ASSERT_FALSE(axes.ok());
  std::string ranks = std::to_string(2 * comm.size());
  EXPECT_NE(axes.status().message().find("compiled for " + ranks + " ranks"), std::string::npos);
  EXPECT_NE(axes.status().message().find("mpirun -np " + ranks), std::string::npos);
}

} // namespace

const std::vector<test::Check> &test::groupChecks() {
  static const std::vector<Check> checks{
      {"SplitByParity", splitByParity},       {"SplitInOrderOfKeys", splitInOrderOfKeys},
      {"SplitIntoSingles", splitIntoSingles}, {"DuplicateInAnotherThread", duplicateInAnotherThread},
      {"AxesOfEveryMesh", axesOfEveryMesh},   {"MeshOfAnotherSize", meshOfAnotherSize}};
  return checks;
}
