// A run that is saved and goes on is the run that was never stopped, on whatever ranks.
#include "Running.h"

using namespace sparsec;
using namespace sparsec::test;

namespace {

using Resume = CliTest;

TEST_F(Resume, SameBitsAsUninterrupted) {
  auto model = makeFakeModel();
  std::vector<std::string> run = {"train", "--data", at("train.csv"), "--log", at("whole"), "--epochs", "3"};
  ASSERT_EQ(runModel(*model, run).code, 0);
  for (const char *steps : {"1", "6", "7", "10", "20"}) { // also where an epoch ends
    fs::remove(at("parts"));
    Ran first = runModel(
        *model, {"train", "--data", at("train.csv"), "--log", at("parts"), "--steps", steps, "--save", at("saved")});
    ASSERT_EQ(first.code, 0) << first.err;
    Ran second = runModel(*model, {"train", "--data", at("train.csv"), "--log", at("parts"), "--epochs", "3", "--load",
                                   at("saved"), "--save", at("saved")});
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(losses("parts"), losses("whole")) << "stopped after " << steps;
  }
}

TEST_F(Resume, KeepsTheSeed) {
  auto model = makeFakeModel();
  ASSERT_EQ(
      runModel(*model, {"train", "--data", at("train.csv"), "--log", at("whole"), "--epochs", "2", "--seed", "5"}).code,
      0);
  ASSERT_EQ(runModel(*model, {"train", "--data", at("train.csv"), "--log", at("parts"), "--steps", "3", "--seed", "5",
                              "--save", at("saved")})
                .code,
            0);
  ASSERT_EQ(runModel(*model,
                     {"train", "--data", at("train.csv"), "--log", at("parts"), "--epochs", "2", "--load", at("saved")})
                .code,
            0);
  EXPECT_EQ(losses("parts"), losses("whole"));
  Ran other = runModel(*model, {"train", "--data", at("train.csv"), "--seed", "6", "--load", at("saved")});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("--seed 5"), std::string::npos) << other.err;
}

TEST_F(Resume, OnOtherRanks) {
  ASSERT_EQ(
      runModel(*makeFakeModel(), {"train", "--data", at("train.csv"), "--log", at("whole"), "--epochs", "3"}).code, 0);
  ASSERT_EQ(runModel(*makeFakeModel({2, 1, 2}), {"train", "--data", at("train.csv"), "--log", at("parts"), "--steps",
                                                 "10", "--save", at("saved"), "--in-process"})
                .code,
            0);
  Ran ran = runModel(*makeFakeModel({1, 3, 1}), {"train", "--data", at("train.csv"), "--log", at("parts"), "--epochs",
                                                 "3", "--load", at("saved"), "--in-process"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::vector<double> whole = losses("whole"), parts = losses("parts");
  ASSERT_EQ(whole.size(), parts.size());
  for (size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(whole[i], parts[i], 1e-6) << i;
}

TEST_F(Resume, NothingLeftIsSaid) {
  auto model = makeFakeModel();
  ASSERT_EQ(runModel(*model, {"train", "--data", at("train.csv"), "--save", at("saved")}).code, 0);
  Ran ran =
      runModel(*model, {"train", "--data", at("train.csv"), "--load", at("saved"), "--eval-data", at("eval.csv")});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("nothing to train"), std::string::npos) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["samples"], 37);
}

TEST_F(Resume, SavesOnTheWay) {
  auto model = makeFakeModel();
  Ran ran = runModel(*model,
                     {"train", "--data", at("train.csv"), "--steps", "10", "--save", at("saved"), "--save-every", "4"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char *step : {"4", "8", "10"})
    EXPECT_NE(ran.err.find(fmt::format("saved step {} to", step)), std::string::npos) << ran.err;
}

} // namespace
