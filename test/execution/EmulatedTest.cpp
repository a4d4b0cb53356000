// The samples on a device, its kernels run thread by thread, against the same programs on the host: losses of 50 steps
// under every mesh and strategy, whatever order threads, blocks and streams take turns in.
#include "SampleCases.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sparsec::execution {
namespace {

struct Case {
  std::string sample;
  Mesh mesh;
  std::string strategy; // of all tables; empty: as it is planned
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.sample << " " << c.mesh.name() << " " << c.strategy; }

class EmulatedTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    for (const Sample &s : samples())
      if (s.name == GetParam().sample)
        sample = &s;
    ASSERT_NE(sample, nullptr);
    files = writeDescription(*sample, folder);
    data = writeRows(*sample, files, steps, folder);
    ASSERT_FALSE(data.empty()) << "no rows on which the host's losses are steady";
  }
  /// All tables by the case's strategy; those of one column by rows where it would split columns.
  std::string plan() const {
    const Case &c = GetParam();
    if (c.strategy.empty())
      return "";
    Compiled model(files, {1, 1, 1}, "");
    EXPECT_TRUE(model.ok()) << model.errors();
    auto info = nlohmann::json::parse(runProgram({model / "model", "info", "--json"}).out);
    std::vector<TablePlan> tables;
    for (const auto &table : info["tables"]) {
      bool splits = c.strategy == "column_wise" || c.strategy == "grid";
      tables.push_back({table["name"], splits && table["dim"] == 1 ? "row_wise" : c.strategy});
    }
    return planText(info["model"], c.mesh, tables);
  }
  std::vector<double> losses(const std::string &target) {
    const Case &c = GetParam();
    Compiled model(files, c.mesh, plan(), target);
    EXPECT_TRUE(model.ok()) << model.errors();
    Trained trained = model.train(data, "checkpoint", {.steps = steps});
    EXPECT_TRUE(trained.ran.ok()) << trained.ran.err;
    return trained.losses;
  }
  static constexpr int64_t steps = 50;
  TemporaryFolder folder;
  const Sample *sample = nullptr;
  std::vector<std::string> files;
  std::string data;
};

TEST_P(EmulatedTest, LossesAreTheHosts) {
  std::vector<double> host = losses("cpu"), device = losses("cuda-emulated");
  ASSERT_EQ(host.size(), size_t(steps));
  ASSERT_EQ(device.size(), size_t(steps));
  for (size_t i = 0; i < steps; ++i)
    EXPECT_NEAR(device[i], host[i], 1e-5 * std::max(1.0, host[i])) << "step " << i + 1;
}

std::vector<Case> planned() {
  std::vector<Case> cases;
  for (const Sample &sample : samples())
    cases.push_back({sample.name, {1, 1, 1}, ""});
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  const Case &c = info.param;
  return c.sample + "_" + c.mesh.name() + (c.strategy.empty() ? "" : "_" + c.strategy);
}
/// Row-wise AdaGrad needs the norm of whole rows. On meshes of one host, `grid` does not split columns.
bool splitsRows(const Sample &sample, const std::string &strategy) {
  return strategy == "column_wise" && description(sample).find("row_wise_adagrad") != std::string::npos;
}
/// Every strategy on 1x2 and 2x2; which sample it is goes round, or with SPARSEC_EMULATE_ALL it is each of them.
std::vector<Case> ordered() {
  bool whole = std::getenv("SPARSEC_EMULATE_ALL");
  std::vector<Case> cases;
  size_t number = 0;
  for (const char *strategy : {"data_parallel", "table_wise", "column_wise", "row_wise", "table_row_wise", "grid"})
    for (Mesh mesh : {Mesh{1, 1, 2}, Mesh{2, 1, 2}})
      for (size_t i = 0; i < (whole ? samples().size() : 1); ++i) {
        const Sample &sample = whole ? samples()[i] : samples()[number++ % 4]; // the first four are quick
        if (!splitsRows(sample, strategy))
          cases.push_back({sample.name, mesh, strategy});
      }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Strategies, EmulatedTest, testing::ValuesIn(ordered()), nameOf);
INSTANTIATE_TEST_SUITE_P(OneRank, EmulatedTest, testing::ValuesIn(planned()), nameOf);

} // namespace
} // namespace sparsec::execution
