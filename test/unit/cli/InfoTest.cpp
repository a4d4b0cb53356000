#include "cli/Info.h"
#include "cli/MemoryNeed.h"
#include "Running.h"
#include "cli/Progress.h"

using namespace sparsec;
using namespace sparsec::test;

namespace {

using Info = CliTest;

TEST_F(Info, Json) {
  Ran ran = runModel(*makeFakeModel({2, 1, 2}), {"info", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["model"], "fake");
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["mesh"], (nlohmann::json{{"groups", 2}, {"nodes", 1}, {"shards", 2}}));
  EXPECT_EQ(json["memory_per_rank"], (std::vector<int>{24, 24, 24, 24})); // 3 weights and 3 states
  EXPECT_EQ(json["params"][0]["optimizer"], (nlohmann::json{{"rule", "momentum"}, {"lr", .5}, {"mu", .9}}));
}

TEST_F(Info, Text) {
  Ran ran = runModel(*makeFakeModel(), {"info"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char *words : {"fake (f00d)", "momentum lr=0.5 mu=0.9", "batch size 8", "click: bce", "24 B"})
    EXPECT_NE(ran.out.find(words), std::string::npos) << ran.out;
}

TEST_F(Info, OneIsNotPlural) {
  std::string one = runModel(*makeFakeModel(), {"info"}).out, four = runModel(*makeFakeModel({2, 1, 2}), {"info"}).out;
  EXPECT_NE(one.find("1 = 1 group x 1 node x 1 shard\n"), std::string::npos) << one;
  EXPECT_NE(one.find(", 1 epoch, "), std::string::npos) << one;
  EXPECT_NE(four.find("4 = 2 groups x 1 node x 2 shards\n"), std::string::npos) << four;
}

TEST_F(Info, Help) {
  Ran ran = runModel(*makeFakeModel(), {"--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("predict"), std::string::npos);
  EXPECT_EQ(runModel(*makeFakeModel(), {"--version"}).out, "by hand\n");
}

TEST(Memory, OfParts) {
  Program p;
  p.mesh = {2, 1, 2};
  TableInfo rows, copies;
  rows.name = "rows", rows.rows = 5, rows.dim = 3, rows.optimizer.states = {{"sum", true, 0}};
  rows.parts = {{0, 3, false, 0, 2}};
  copies.name = "copies", copies.rows = 2, copies.dim = 2, copies.parts = {{0, 2, true, 0, 1}};
  p.tables = {rows, copies};
  // 3 and 2 rows of 3 weights and 1 state; 2 x 2 everywhere.
  EXPECT_EQ(cli::bytesOfRanks(p), (std::vector<int64_t>{64, 48, 64, 48}));
}

TEST(Words, OfNumbersAndTimes) {
  EXPECT_EQ(cli::shortNumber(820), "820");
  EXPECT_EQ(cli::shortNumber(1'530'000), "1.53 M");
  EXPECT_EQ(cli::shortTime(.04), "0.0s");
  EXPECT_EQ(cli::shortTime(9.94), "9.9s");
  EXPECT_EQ(cli::shortTime(12.4), "12s");
  EXPECT_EQ(cli::shortTime(200), "3m20s");
  EXPECT_EQ(cli::shortTime(7500), "2h05m");
}

} // namespace
