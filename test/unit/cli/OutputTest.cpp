// What eval, predict and bench give.
#include "Running.h"
#include <sys/stat.h>
#include <unordered_map>

using namespace sparsec;
using namespace sparsec::test;

namespace {

class Output : public CliTest {
protected:
  void SetUp() override {
    CliTest::SetUp();
    ASSERT_EQ(
        runModel(*makeFakeModel(), {"train", "--data", at("train.csv"), "--epochs", "5", "--save", at("saved")}).code,
        0);
  }
  /// Rows of predict's CSV.
  static std::vector<double> predictions(const std::string &csv) {
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "click");
    std::vector<double> values;
    while (std::getline(in, line))
      values.push_back(std::stod(line));
    return values;
  }
};

TEST_F(Output, EvalAgreesWithThePredictions) {
  Ran predicted = runModel(*makeFakeModel(), {"predict", "--data", at("eval.csv"), "--load", at("saved")});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  std::vector<double> p = predictions(predicted.out);
  std::vector<Row> rows = makeRows(37, 2);
  ASSERT_EQ(p.size(), rows.size());
  double logLoss = 0, sumP = 0, sumY = 0, wins = 0, pairs = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    logLoss -= (rows[i].y ? std::log(p[i]) : std::log1p(-p[i])) / double(p.size());
    sumP += p[i], sumY += rows[i].y;
    for (size_t j = 0; j < p.size(); ++j)
      if (rows[i].y > rows[j].y)
        pairs += 1, wins += p[i] > p[j] ? 1 : p[i] == p[j] ? .5 : 0;
  }
  double base = sumY / double(p.size()), entropy = -base * std::log(base) - (1 - base) * std::log1p(-base);

  for (Mesh mesh : {Mesh{}, Mesh{2, 1, 2}, Mesh{1, 5, 1}}) { // 37 = 4 x 8 + 5: some ranks get nothing at the end
    Ran ran = runModel(*makeFakeModel(mesh), {"eval", "--data", at("eval.csv"), "--load", at("saved"), "--in-process"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["samples"], 37);
    EXPECT_NEAR(json["auc"], wins / pairs, 1e-9);
    EXPECT_NEAR(json["logloss"], logLoss, 1e-6);
    EXPECT_NEAR(json["ne"], logLoss / entropy, 1e-6);
    EXPECT_NEAR(json["calibration"], sumP / sumY, 1e-6);
    EXPECT_NEAR(json["base_rate"], base, 1e-12);
  }
}

TEST_F(Output, PredictKeepsTheOrderOnAnyRanks) {
  Ran one = runModel(*makeFakeModel(), {"predict", "--data", at("eval.csv"), "--load", at("saved")});
  std::vector<double> expected = predictions(one.out);
  for (Mesh mesh : {Mesh{2, 1, 2}, Mesh{1, 3, 1}}) {
    Ran ran = runModel(*makeFakeModel(mesh), {"predict", "--data", at("eval.csv"), "--load", at("saved"),
                                              "--in-process", "-o", at("out.csv")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("wrote 37 predictions"), std::string::npos) << ran.err;
    std::vector<double> got = predictions(read("out.csv"));
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 1e-6) << i;
  }
}

TEST_F(Output, PredictTouchesNoFileButItsOwn) {
  fs::copy(at("eval.csv"), at("out.csv.new"));
  std::string data = read("eval.csv");
  mode_t mask = umask(027);
  Ran ran =
      runModel(*makeFakeModel(), {"predict", "--data", at("out.csv.new"), "--load", at("saved"), "-o", at("out.csv")});
  umask(mask);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("out.csv.new"), data);
  EXPECT_EQ(predictions(read("out.csv")).size(), 37u);
  EXPECT_EQ(fs::status(at("out.csv")).permissions(), fs::perms(0640)) << "as any new file";
  size_t beside = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(root))
    beside += entry.path().filename().string().starts_with("out.csv");
  EXPECT_EQ(beside, 2u);
}

TEST_F(Output, PredictNeedsNoLabels) {
  writeText("unlabelled.csv", "b,a\n1,2\n3,4\n");
  writeText("labelled.csv", "y,a,b\n0,2,1\n1,4,3\n");
  Ran without = runModel(*makeFakeModel(), {"predict", "--data", at("unlabelled.csv"), "--load", at("saved")});
  Ran with = runModel(*makeFakeModel(), {"predict", "--data", at("labelled.csv"), "--load", at("saved")});
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_EQ(without.out, with.out);
}

TEST_F(Output, NoSamples) {
  writeText("none.csv", "y,a,b\n");
  Ran eval =
      runModel(*makeFakeModel({1, 1, 2}), {"eval", "--data", at("none.csv"), "--load", at("saved"), "--in-process"});
  if (eval.code == 0) { // the reader may refuse such a file, by name
    EXPECT_EQ(nlohmann::json::parse(eval.out)["samples"], 0);
  } else {
    EXPECT_NE(eval.err.find("none.csv"), std::string::npos) << eval.err;
  }
}

TEST_F(Output, Bench) {
  for (Mesh mesh : {Mesh{}, Mesh{1, 1, 2}}) {
    Ran ran = runModel(*makeFakeModel(mesh),
                       {"bench", "--steps", "20", "--json", "--zipf", "1.1", "--threads", "1", "--in-process"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["steps"], 20);
    EXPECT_EQ(json["ranks"], mesh.ranks());
    EXPECT_EQ(json["threads"], 1);
    EXPECT_GT(json["samples_per_second"].get<double>(), 0);
    for (const auto &times : {json["step_ms"], json["stages_ms"]["train"], json["predict_ms"]})
      EXPECT_LE(times["min"].get<double>(), times["median"].get<double>());
  }
  Ran text = runModel(*makeFakeModel(), {"bench", "--steps", "3"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("samples/s"), std::string::npos);
}

} // namespace
