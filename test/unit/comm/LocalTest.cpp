// The conformance suite for ranks in this process, and what only they can do.
#include "../ScarceMemory.h"
#include "Conformance.h"
#include <gtest/gtest.h>
#include <optional>
#include <thread>

using namespace sparsec;
using namespace sparsec::test;
using namespace std::chrono_literals;

namespace {

std::vector<Check> allChecks() {
  std::vector<Check> all;
  for (auto *checks : {&collectiveChecks(), &reductionChecks(), &groupChecks()})
    all.insert(all.end(), checks->begin(), checks->end());
  return all;
}

class Conformance : public testing::TestWithParam<std::tuple<int, Check>> {};

TEST_P(Conformance, InProcess) {
  auto [ranks, check] = GetParam();
  Status status = runInProcess(ranks,
                               [check = check](Communicator &comm) {
                                 check.body(comm);
                                 return comm.barrier();
                               },
                               {.timeout = 60s});
  EXPECT_TRUE(status.ok()) << status.message();
}
INSTANTIATE_TEST_SUITE_P(Ranks, Conformance,
                         testing::Combine(testing::Values(1, 2, 3, 4, 8), testing::ValuesIn(allChecks())),
                         [](auto &info) {
                           return std::string(std::get<1>(info.param).name) + "_" +
                                  std::to_string(std::get<0>(info.param));
                         });

class LoopbackConformance : public testing::TestWithParam<Check> {};

TEST_P(LoopbackConformance, Loopback) { GetParam().body(*makeLoopback()); }
INSTANTIATE_TEST_SUITE_P(One, LoopbackConformance, testing::ValuesIn(allChecks()),
                         [](auto &info) { return info.param.name; });

class Failure : public testing::TestWithParam<std::tuple<int, FailureCheck>> {};

TEST_P(Failure, InProcess) {
  auto [ranks, check] = GetParam();
  Status status = runInProcess(
      ranks,
      [&, check = check, ranks = ranks](Communicator &comm) {
        Status seen = check.body(comm);
        EXPECT_EQ(check.judge(seen, ranks), "");
        return seen;
      },
      check.options);
  EXPECT_FALSE(status.ok());
}
INSTANTIATE_TEST_SUITE_P(Ranks, Failure, testing::Combine(testing::Values(2, 3, 4), testing::ValuesIn(failureChecks())),
                         [](auto &info) {
                           return std::string(std::get<1>(info.param).name) + "_" +
                                  std::to_string(std::get<0>(info.param));
                         });

TEST(InProcess, NamesARankThatLeft) {
  for (bool early : {true, false}) {
    Status status = runInProcess(3, [&](Communicator &comm) {
      (void)comm.barrier();
      if (comm.rank() == 1) {
        if (!early)
          std::this_thread::sleep_for(100ms);
        return Status();
      }
      if (early)
        std::this_thread::sleep_for(100ms);
      float x = 1;
      return comm.allReduceSum(&x, 1);
    });
    EXPECT_EQ(status.message(), "rank 1 has left, but the others need it in `all-reduce` of 1 (call 1)");
  }
}

TEST(InProcess, LeavingAfterTheLastCollectiveIsFine) {
  Status status = runInProcess(4, [](Communicator &comm) {
    int64_t x = 1;
    Status done = comm.allReduceSum(&x, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * comm.rank()));
    return done;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(InProcess, NamesBothCollectives) {
  Status status = runInProcess(2, [](Communicator &comm) {
    float x[3] = {};
    return comm.rank() == 0 ? comm.barrier() : comm.allReduceSum(x, 3);
  });
  // Whichever rank notices.
  for (const char *part : {"rank 0", "`barrier` (call 0)", "rank 1", "`all-reduce` of 3 (call 0)"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(InProcess, SumsOfDifferentLength) {
  Status status = runInProcess(2, [](Communicator &comm) {
    float x[4] = {};
    return comm.allReduceSum(x, 3 + comm.rank());
  });
  EXPECT_NE(status.message().find("`all-reduce` of 3"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("`all-reduce` of 4"), std::string::npos) << status.message();
}

TEST(InProcess, AFailingBodyFailsTheOthers) {
  Status status = runInProcess(4, [](Communicator &comm) {
    return comm.rank() == 2 ? Status::error("day_3.tsv:17: too many columns") : comm.barrier();
  });
  EXPECT_NE(status.message().find("day_3.tsv:17: too many columns"), std::string::npos) << status.message();
}

#ifndef SPARSEC_NEEDS_ADDRESS_SPACE
TEST(InProcess, ARankWithoutAThreadFailsTheOthers) {
  std::optional<ScarceMemory> scarce(std::in_place);
  Status status = runInProcess(500, [](Communicator &comm) { return comm.barrier(); });
  scarce.reset();
  EXPECT_NE(status.message().find("cannot start a thread for each of 500 ranks: "), std::string::npos)
      << status.message();
}
#endif

TEST(Loopback, StaysFailed) {
  auto comm = makeLoopback(3);
  comm->fail("no more");
  EXPECT_EQ(comm->barrier().message(), "rank 3: no more");
}

} // namespace
