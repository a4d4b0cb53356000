// What train computes and writes.
#include "Running.h"
#include "cli/Interrupt.h"
#include "cli/Progress.h"
#include <csignal>
#include <limits>
#include <thread>

using namespace sparsec;
using namespace sparsec::test;

namespace {

/// The same training in double precision, in file order.
std::vector<double> referenceLosses(const std::vector<Row> &rows, size_t batchSize, size_t epochs, double w0,
                                    double w1) {
  double w[3] = {w0, w1, .25}, m[3] = {};
  std::vector<double> losses;
  for (size_t epoch = 0; epoch < epochs; ++epoch)
    for (size_t begin = 0; begin < rows.size(); begin += batchSize) {
      size_t end = std::min(begin + batchSize, rows.size());
      double n = double(end - begin), loss = 0, g[3] = {};
      for (size_t i = begin; i < end; ++i) {
        double z = w[0] * rows[i].a + w[1] * rows[i].b + w[2], p = 1 / (1 + std::exp(-z));
        loss -= (rows[i].y ? std::log(p) : std::log1p(-p)) / n;
        double d = (p - rows[i].y) / n;
        g[0] += d * rows[i].a, g[1] += d * rows[i].b, g[2] += d;
      }
      for (int k = 0; k < 3; ++k)
        m[k] = fakeMomentum * m[k] + g[k], w[k] -= fakeRate * m[k];
      losses.push_back(loss);
    }
  return losses;
}

/// In file order and from weights 0.
std::unique_ptr<FakeModel> plainModel(Mesh mesh = {}) {
  auto model = makeFakeModel(mesh);
  model->program.shuffleRows = 0;
  model->program.params[0].init = {"constant", 0, {}};
  model->description = writeProgram(model->program);
  model->image.description = model->description.data();
  model->image.description_size = int64_t(model->description.size());
  return model;
}

void expectNear(const std::vector<double> &got, const std::vector<double> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 2e-6 * (1 + std::fabs(expected[i]))) << "step " << i + 1;
}

using Train = CliTest;

TEST_F(Train, LossesOfThreeEpochs) {
  Ran ran = runModel(*plainModel(), {"train", "--data", at("train.csv"), "--epochs", "3", "--log", at("log")});
  ASSERT_EQ(ran.code, 0) << ran.err;
  expectNear(losses("log"), referenceLosses(makeRows(53), 8, 3, 0, 0));
  EXPECT_EQ(ran.out, "");
}

TEST_F(Train, LogLines) {
  ASSERT_EQ(runModel(*plainModel(), {"train", "--data", at("train.csv"), "--steps", "9", "--log", at("log")}).code, 0);
  std::istringstream in(read("log"));
  std::string line;
  for (int64_t step = 1; std::getline(in, line); ++step) {
    auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["step"], step);
    EXPECT_EQ(json["epoch"], (step - 1) / 7);
    EXPECT_EQ(json["batch"], (step - 1) % 7);
    EXPECT_EQ(json["samples"], step == 7 ? 5 : 8) << "the last batch of an epoch is shorter, not dropped";
    EXPECT_GT(json["samples_per_second"].get<double>(), 0);
  }
  ASSERT_EQ(runModel(*plainModel(),
                     {"train", "--data", at("train.csv"), "--steps", "9", "--log", at("log"), "--log-every", "4"})
                .code,
            0);
  EXPECT_EQ(losses("log").size(), 2u);
}

TEST_F(Train, SeveralFilesAreOneStream) {
  std::vector<Row> rows = makeRows(53);
  writeRows("first.csv", {rows.begin(), rows.begin() + 3});
  writeRows("second.csv", {rows.begin() + 3, rows.end()});
  Ran ran = runModel(*plainModel(), {"train", "--data", at("first.csv"), at("second.csv"), "--log", at("log")});
  ASSERT_EQ(ran.code, 0) << ran.err;
  expectNear(losses("log"), referenceLosses(rows, 8, 1, 0, 0));
}

TEST_F(Train, RanksAsThreadsGiveTheSameLosses) {
  // 5 samples in the last batch on 4 ranks: 2, 2, 1, 0.
  std::vector<double> expected = referenceLosses(makeRows(53), 8, 2, 0, 0);
  for (Mesh mesh : {Mesh{2, 1, 2}, Mesh{1, 3, 1}, Mesh{1, 1, 8}}) {
    Ran ran = runModel(*plainModel(mesh), {"train", "--data", at("train.csv"), "--epochs", "2", "--log", at("log"),
                                           "--in-process", "--eval-data", at("eval.csv")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    expectNear(losses("log"), expected);
    EXPECT_EQ(nlohmann::json::parse(ran.out)["samples"], 37);
  }
}

TEST_F(Train, SameBitsAtAnyThreadCount) {
  for (const char *threads : {"1", "3"})
    ASSERT_EQ(runModel(*makeFakeModel(), {"train", "--data", at("train.csv"), "--epochs", "2", "--threads", threads,
                                          "--log", at(std::string("log") + threads)})
                  .code,
              0);
  EXPECT_EQ(losses("log1"), losses("log3"));
}

TEST_F(Train, SeedChangesTheRun) {
  for (const char *seed : {"1", "2"})
    ASSERT_EQ(runModel(*makeFakeModel(),
                       {"train", "--data", at("train.csv"), "--seed", seed, "--log", at(std::string("log") + seed)})
                  .code,
              0);
  EXPECT_NE(losses("log1"), losses("log2"));
}

TEST_F(Train, EndsWithItsLastEvaluation) {
  Ran ran = runModel(*makeFakeModel(), {"train", "--data", at("train.csv"), "--eval-data", at("eval.csv"), "--epochs",
                                        "4", "--save", at("saved"), "--eval-every", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  Ran eval = runModel(*makeFakeModel(), {"eval", "--data", at("eval.csv"), "--load", at("saved")});
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(ran.out, eval.out);
  EXPECT_GT(nlohmann::json::parse(ran.out)["auc"].get<double>(), .8);
  EXPECT_NE(ran.err.find("saved step 28 to `" + at("saved") + "`"), std::string::npos) << ran.err;
  size_t evaluations = 0;
  for (size_t p = ran.err.find("eval click"); p != std::string::npos; p = ran.err.find("eval click", p + 1))
    ++evaluations;
  EXPECT_EQ(evaluations, 6u); // after steps 5, 10, ..., 25 and 28
}

TEST(Progress, StepsOfManyEpochs) {
  EXPECT_EQ(cli::stepsOfEpochs(3, 53, 8), 21);
  EXPECT_EQ(cli::stepsOfEpochs(3, 56, 8), 21);
  EXPECT_EQ(cli::stepsOfEpochs(3, 0, 8), 0);
  EXPECT_EQ(cli::stepsOfEpochs(int64_t(1) << 53, 2047, 2), std::numeric_limits<int64_t>::max());
}

TEST_F(Train, QuietSaysNothing) {
  Ran ran = runModel(*makeFakeModel(), {"train", "--data", at("train.csv"), "--eval-data", at("eval.csv"), "--quiet",
                                        "--save", at("saved")});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(nlohmann::json::parse(ran.out)["samples"], 37);
}

TEST_F(Train, InterruptedItSavesAndSaysSo) {
  for (Mesh mesh : {Mesh{}, Mesh{1, 1, 3}}) {
    std::thread other([] {
      usleep(400'000);
      kill(getpid(), SIGINT);
    });
    Ran ran = runModel(*makeFakeModel(mesh), {"train", "--data", at("train.csv"), "--steps", "1000000000", "--save",
                                              at("saved"), "--in-process", "--eval-data", at("eval.csv")});
    other.join();
    EXPECT_EQ(ran.code, 130) << ran.err;
    EXPECT_NE(ran.err.find("stopped after step "), std::string::npos) << ran.err;
    Ran eval = runModel(*makeFakeModel(), {"eval", "--data", at("eval.csv"), "--load", at("saved")});
    EXPECT_EQ(eval.code, 0) << eval.err;
  }
}

} // namespace
