// The plan never changes the numbers: random models under a pairwise cover of strategies, meshes, poolings, optimizers,
// dims, updates and exchanges, and the pairs of runs that must agree.
#include "random/Check.h"
#include <gtest/gtest.h>
#include <set>

namespace sparsec::execution {
namespace {

constexpr uint64_t coverSeed = 3;

const std::vector<Levels> &cover() {
  static const std::vector<Levels> levels = pairwiseCover(coverSeed);
  return levels;
}

TEST(CoverTest, IsSmallAndHoldsAllPairs) {
  EXPECT_LE(cover().size(), 80u);
  std::set<std::array<int, 4>> all, covered;
  auto insertPairs = [](const Levels &levels, auto &into) {
    for (int a = 0; a < factorCount; ++a)
      for (int b = a + 1; b < factorCount; ++b)
        into.insert({a, levels[a], b, levels[b]});
  };
  for (const Levels &levels : fullProduct())
    insertPairs(levels, all);
  for (const Levels &levels : cover()) {
    EXPECT_TRUE(isValid(levels));
    insertPairs(levels, covered);
  }
  EXPECT_EQ(covered.size(), all.size());
}

class PlansTest : public testing::TestWithParam<size_t> {};

TEST_P(PlansTest, MatchesTheReference) {
  const Levels &levels = cover()[GetParam()];
  SCOPED_TRACE(describeLevels(levels));
  Outcome outcome = checkModel(makeModel(GetParam(), levels));
  EXPECT_FALSE(outcome.skipped);
  EXPECT_EQ(outcome.failure, "");
}

INSTANTIATE_TEST_SUITE_P(Cover, PlansTest, testing::Range(size_t(0), cover().size()), [](const auto &info) {
  std::string name = std::to_string(info.param) + "_" + describeLevels(cover()[info.param]);
  for (char &c : name)
    c = c == '(' || c == ')' ? 'n' : c == ' ' ? '_' : c;
  return name;
});

class RanksTest : public testing::TestWithParam<const char *> {};

// k ranks x batch b is the step of 1 rank x batch k b, unequal parts and ranks without samples included.
TEST_P(RanksTest, ManyRanksEqualOne) {
  RandomModel model = makeModel(77, levelsOf(GetParam()));
  Outcome outcome = compareRuns(model, onOneRank(model), 30);
  EXPECT_EQ(outcome.failure, "");
}

INSTANTIATE_TEST_SUITE_P(Strategies, RanksTest,
                         testing::Values("data_parallel 4x1 mean adam 16 touched pooled",
                                         "table_wise 1x4 weighted_mean adagrad 63 touched pooled",
                                         "column_wise 1x3 sum adam 128 whole pooled",
                                         "row_wise 2x2 max row_wise_adagrad 4 touched unique",
                                         "table_row_wise 1x(2x2) mean adagrad 3 touched pooled",
                                         "grid 2x(2x2) weighted_sum adam 16 touched unique",
                                         "mixed 2x(2x2) mean adagrad 16 whole pooled"));

class ResumeTest : public testing::TestWithParam<const char *> {};

TEST_P(ResumeTest, OnOtherMeshes) {
  RandomModel model = makeModel(79, levelsOf(GetParam()));
  RandomModel three = model, groups = model;
  three.mesh = {1, 1, 3};
  groups.mesh = {4, 1, 1};
  EXPECT_EQ(checkResume(model, {onOneRank(model), three, groups}, 30).failure, "");
}

INSTANTIATE_TEST_SUITE_P(Strategies, ResumeTest,
                         testing::Values("row_wise 2x2 mean adam 16 touched pooled",
                                         "column_wise 2x2 sum adagrad 63 whole unique",
                                         "table_wise 2x2 max row_wise_adagrad 4 touched unique",
                                         "mixed 2x2 weighted_sum adam 3 whole pooled"));

/// On a device, its kernels run thread by thread; again, with the same bits.
class DeviceTest : public testing::TestWithParam<const char *> {};

TEST_P(DeviceTest, MatchesTheReference) {
  CheckOptions options;
  options.target = "cuda-emulated";
  Outcome outcome = checkModel(makeModel(80, levelsOf(GetParam())), options);
  EXPECT_FALSE(outcome.skipped);
  EXPECT_EQ(outcome.failure, "");
}

INSTANTIATE_TEST_SUITE_P(Emulated, DeviceTest,
                         testing::Values("data_parallel 1x1 max adam 16 touched unique",
                                         "row_wise 1x4 weighted_mean row_wise_adagrad 63 touched pooled",
                                         "grid 1x(2x2) weighted_sum adagrad 16 whole pooled",
                                         "mixed 2x2 max adam 3 whole unique",
                                         "table_row_wise 2x(2x2) mean adam 128 touched unique"));

class MpiTest : public testing::TestWithParam<const char *> {};

TEST_P(MpiTest, MatchesTheReference) {
  if (!haveMpirun())
    GTEST_SKIP() << "mpirun is not on the path";
  Outcome outcome = checkModel(makeModel(78, levelsOf(GetParam())), {.steps = 30, .twice = false, .mpi = true});
  EXPECT_FALSE(outcome.skipped);
  EXPECT_EQ(outcome.failure, "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpiTest,
                         testing::Values("row_wise 1x2 mean adagrad 16 touched pooled",
                                         "grid 1x(2x2) weighted_sum adagrad 16 touched pooled",
                                         "column_wise 2x1 sum adam 4 touched pooled",
                                         "mixed 2x2 weighted_mean adam 16 whole unique",
                                         "table_wise 1x4 sum row_wise_adagrad 3 touched unique"));

/// Row-wise AdaGrad needs whole rows.
TEST(RefusalTest, ColumnsWithRowNorm) {
  TemporaryFolder folder;
  RandomModel model = makeModel(5, levelsOf("row_wise 1x4 sum row_wise_adagrad 16 touched pooled"));
  writeFile(folder / "model.textproto", model.description);
  auto refuses = [&](Mesh mesh, const char *strategy) {
    Compiled compiled(folder / "model.textproto", mesh, planText("random", mesh, {{"t0", strategy}}));
    EXPECT_FALSE(compiled.ok()) << strategy;
    return compiled.errors();
  };
  const char *reason = "the optimizer needs the norm of whole rows, which no rank has";
  EXPECT_NE(refuses({1, 1, 4}, "column_wise { rank: [0, 2] }").find(reason), std::string::npos);
  EXPECT_NE(refuses({1, 2, 2}, "grid { host: [0, 1] }").find(reason), std::string::npos);
  EXPECT_NE(refuses({1, 1, 4}, "column_wise").find(reason), std::string::npos);
  EXPECT_NE(refuses({1, 2, 2}, "grid").find(reason), std::string::npos);
}

/// What the planner emits is a plan, and gives itself again.
TEST(EmittedPlanTest, CanBeReadBack) {
  for (const char *text :
       {"row_wise 1x4 max adagrad 16 touched unique", "data_parallel 1x4 mean adam 4 whole pooled"}) {
    TemporaryFolder folder;
    RandomModel model = makeModel(9, levelsOf(text));
    writeFile(folder / "model.textproto", model.description);
    auto emit = [&](const std::string &output, std::vector<std::string> more) {
      std::vector<std::string> words = {SPARSEC_PROGRAM, folder / "model.textproto", "--ranks=4", "--emit=plan", "-o",
                                        folder / output};
      words.insert(words.end(), more.begin(), more.end());
      Ran ran = runProgram(words);
      EXPECT_TRUE(ran.ok()) << ran.err;
      std::string plan = readFile(folder / output);
      return plan.substr(0, plan.find("predicted"));
    };
    std::string first = emit("first", {});
    EXPECT_EQ(emit("second", {"--plan=" + (folder / "first")}), first);
    writeFile(folder / "ordered", planText("random", {1, 1, 4}, model.tables));
    std::string ordered = emit("third", {"--plan=" + (folder / "ordered")});
    EXPECT_EQ(emit("fourth", {"--plan=" + (folder / "third")}), ordered);
  }
}

} // namespace
} // namespace sparsec::execution
