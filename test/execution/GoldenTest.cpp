// The golden trace under every strategy and mesh: losses, outputs and weights of each step.
#include "support/Compiled.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sparsec::execution {
namespace {

using nlohmann::json;

const std::string description = SPARSEC_SOURCE_DIR "/samples/dlrm_trace/model.textproto";

const json &golden() {
  static const json trace = json::parse(readFile(SPARSEC_SOURCE_DIR "/test/Inputs/golden/dlrm_trace.json"));
  return trace;
}

/// The trace's batches as the text the sample describes.
std::string goldenData() {
  std::string text;
  for (const json &batch : golden()["batches"])
    for (size_t n = 0; n < batch["label"].size(); ++n) {
      text += batch["label"][n].dump();
      for (const json &x : batch["dense"][n])
        text += "\t" + x.dump();
      for (const json &feature : batch["ids"]) {
        text += "\t";
        for (size_t i = 0; i < feature[n].size(); ++i)
          text += (i ? "," : "") + feature[n][i].dump();
      }
      text += "\n";
    }
  return text;
}

/// Numbers of nested lists, in order.
void flatten(const json &value, std::vector<double> &out) {
  if (!value.is_array())
    return out.push_back(value.get<double>());
  for (const json &element : value)
    flatten(element, out);
}

void expectTensor(const Tensors &tensors, const std::string &name, const json &expected) {
  auto found = tensors.find(name);
  ASSERT_NE(found, tensors.end()) << name;
  std::vector<double> values;
  flatten(expected, values);
  EXPECT_LE(distance(found->second.values, values), 1e-5) << name;
}

void expectWeights(const Tensors &tensors, const json &expected) {
  for (size_t t = 0; t < expected["tables"].size(); ++t)
    expectTensor(tensors, fmt::format("table/s{}/weight", t), expected["tables"][t]);
  const std::pair<const char *, std::vector<const char *>> stacks[] = {{"bottom", {"bottom/0", "bottom/1"}},
                                                                       {"top", {"top/0", "top/1", "p"}}};
  for (const auto &[stack, layers] : stacks)
    for (size_t i = 0; i < layers.size(); ++i)
      for (const char *part : {"weight", "bias"})
        expectTensor(tensors, fmt::format("layer/{}/{}", layers[i], part), expected[stack][i][part]);
}

struct Case {
  Mesh mesh;
  std::string strategy; // empty: no plan at all
  bool unique = false;
  std::string target = "cpu";
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.mesh.name() << " " << c.strategy << " " << c.target; }

std::vector<Case> cases() {
  std::vector<Case> all = {{{1, 1, 1}, ""}};
  for (Mesh mesh : {Mesh{1, 1, 2}, Mesh{1, 1, 3}, Mesh{2, 1, 1}, Mesh{2, 1, 2}})
    for (const char *strategy : {"data_parallel", "table_wise", "column_wise", "row_wise", "table_row_wise", "grid"})
      all.push_back({mesh, strategy});
  for (Mesh mesh : {Mesh{1, 2, 2}, Mesh{2, 2, 2}})
    for (const char *strategy : {"table_row_wise", "grid"})
      all.push_back({mesh, strategy});
  for (const char *strategy : {"table_wise", "column_wise", "row_wise"})
    all.push_back({{2, 1, 2}, strategy, true});
  all.push_back({{2, 2, 2}, "grid", true});
  return all;
}

/// The same program on a device, its kernels run thread by thread.
std::vector<Case> emulated() {
  std::vector<Case> some;
  for (Case c : cases())
    if (c.mesh.ranks() <= 4 && c.mesh.shards != 3) {
      c.target = "cuda-emulated";
      some.push_back(c);
    }
  return some;
}

class GoldenTest : public testing::TestWithParam<Case> {};

TEST_P(GoldenTest, LossesOutputsAndWeights) {
  const Case &c = GetParam();
  std::string plan = c.strategy.empty() ? "" : planText("dlrm_trace", c.mesh, {{"s{0..2}", c.strategy, c.unique}});
  Compiled model(description, c.mesh, plan, c.target);
  ASSERT_TRUE(model.ok()) << model.errors();
  std::string data = model / "data.tsv";
  writeFile(data, goldenData());

  // One step at a time, each from the checkpoint of the one before: a batch is predicted before it is learned.
  std::string before;
  for (int64_t step = 0; step <= 3; ++step) {
    std::string now = fmt::format("step{}", step);
    Trained trained = model.train(data, now, {.steps = step, .load = before});
    ASSERT_TRUE(trained.ran.ok()) << trained.ran.err;
    expectWeights(trained.tensors, step ? golden()["after_step"][step - 1] : golden()["initial"]);
    if (step) {
      ASSERT_EQ(trained.losses.size(), 1u);
      EXPECT_NEAR(trained.losses[0], golden()["losses"][step - 1].get<double>(), 1e-6) << "step " << step;
    }
    before = now;
    if (step == 3)
      break;
    Ran predicted = model.predict(data, now);
    ASSERT_TRUE(predicted.ok()) << predicted.err;
    auto rows = readPredictions(predicted.out);
    ASSERT_EQ(rows.size(), 6u);
    for (size_t n = 0; n < 2; ++n)
      EXPECT_NEAR(rows[2 * step + n].at(0), golden()["outputs"][step][n].get<double>(), 1e-6) << "step " << step;
  }

  Trained atOnce = model.train(data, "at-once");
  ASSERT_TRUE(atOnce.ran.ok()) << atOnce.ran.err;
  ASSERT_EQ(atOnce.losses.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(atOnce.losses[i], golden()["losses"][i].get<double>(), 1e-6) << "step " << i + 1;
  expectWeights(atOnce.tensors, golden()["after_step"][2]);
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  std::string name = info.param.mesh.name() + "_" + (info.param.strategy.empty() ? "no_plan" : info.param.strategy) +
                     (info.param.unique ? "_unique" : "");
  for (char &c : name)
    if (c == '(' || c == ')')
      c = 'n';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Plans, GoldenTest, testing::ValuesIn(cases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Emulated, GoldenTest, testing::ValuesIn(emulated()), nameOf);

} // namespace
} // namespace sparsec::execution
