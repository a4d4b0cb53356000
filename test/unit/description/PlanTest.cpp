#include "test/unit/description/Helpers.h"
#include <gtest/gtest.h>

namespace sparsec::description::test {
namespace {

struct Answer {
  std::optional<LoadedPlan> plan;
  std::string printed;
};

Answer load(const Loaded &model, const std::string &text) {
  Scratch scratch;
  scratch.write("p.textproto", text);
  Diagnostics diagnostics;
  auto plan = loadPlan("p.textproto", model, diagnostics);
  return {std::move(plan), diagnostics.str()};
}

TEST(Plan, BlocksAreSplitAndFindTheirTables) {
  auto [plan, printed] = load(example("criteo_dlrm"), readAll(inputs() + "examples/criteo_2x2.plan.textproto"));
  ASSERT_TRUE(plan) << printed;
  ASSERT_EQ(plan->plan.table_size(), 4 + 2 + 6 + 4);
  EXPECT_EQ(plan->plan.table(14).name(0), "C10");
  EXPECT_EQ(plan->plan.table(14).table_wise().rank(0), 1);
  EXPECT_EQ(plan->tables[14], 9);
  EXPECT_EQ(plan->plan.table(4).column_wise().rank_size(), 2); // owners in column order: the same for every name
}

TEST(Plan, GroupsAreThoseOfTheModel) {
  auto [plan, printed] =
      load(example("criteo_dlrm"), "language: 1 model: \"criteo_dlrm\" table { name: \"{category}\" row_wise {} }");
  ASSERT_TRUE(plan) << printed;
  EXPECT_EQ(plan->plan.table_size(), 26);
}

TEST(Plan, MoreOwnersThanColumns) {
  EXPECT_EQ(load(example("dlrm_trace"),
                 "language: 1\nmodel: \"dlrm_trace\"\ntable { name: [\"s0\", \"s1\"] column_wise { rank: [0, 1, 2] } }")
                .printed,
            "p.textproto:3:42: error: `column_wise` has 3 ranks, but table `s0` has 2 columns\n");
}

TEST(Plan, PooledRowsOfAMaximum) {
  std::string text = tiny;
  text.replace(text.find("table: \"c\" }"), 12, "table: \"c\" pooling: MAX }");
  Scratch scratch;
  scratch.write("m.textproto", text);
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"m.textproto"};
  auto model = loadModel(paths, diagnostics);
  ASSERT_TRUE(model) << diagnostics.str();
  EXPECT_EQ(
      load(*model, "language: 1\nmodel: \"tiny\"\ntable { name: \"c\" row_wise {} exchange: POOLED_ROWS }").printed,
      "p.textproto:3:41: error: POOLED_ROWS does not go with pooling MAX, which table `c` has\n"
      "p.textproto:3:41: note: where rows are split, its rows must travel whole: write UNIQUE_ROWS\n");
}

TEST(Plan, SyncEveryHasTheModelsLimit) {
  std::string text = tiny;
  text.replace(text.find("batch_size: 8"), 13, "batch_size: 8 sync_weights { max_every: 4 }");
  Scratch scratch;
  scratch.write("m.textproto", text);
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"m.textproto"};
  auto model = loadModel(paths, diagnostics);
  ASSERT_TRUE(model) << diagnostics.str();
  EXPECT_EQ(load(*model, "language: 1 model: \"tiny\" sync_every: 4").printed, "");
  EXPECT_EQ(load(*model, "language: 1 model: \"tiny\" sync_every: 5").printed,
            "p.textproto:1:39: error: `sync_every` must lie in [1, 4], but got 5\nm.textproto:10:52: note: the model's "
            "limit\n");
}

TEST(Cluster, BuiltIn) {
  EXPECT_EQ(builtinClusters(), (std::vector<std::string>{"dgx-h100", "generic-80gb", "laptop", "pod-4096"}));
  for (const std::string &name : builtinClusters()) {
    Diagnostics diagnostics;
    auto cluster = loadCluster(name, diagnostics);
    EXPECT_EQ(diagnostics.str(), "");
    ASSERT_TRUE(cluster);
    EXPECT_EQ(cluster->cluster.name(), name);
    EXPECT_TRUE(cluster->cluster.device().has_bf16_tflops());
    EXPECT_EQ(cluster->cluster.host().shared_by(), 1);
  }
  EXPECT_FALSE(builtinCluster("none"));
}

} // namespace
} // namespace sparsec::description::test
