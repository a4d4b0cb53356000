// Metrics against their definitions, computed the slow way in double precision.
#include "sparsec/Metrics.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace sparsec;

namespace {

struct Data {
  std::vector<float> predictions, labels;
  size_t size() const { return labels.size(); }
};

/// `levels` distinct predictions at most: few of them make many ties.
Data random(int n, int levels, double rate, uint64_t seed) {
  std::mt19937_64 generator(seed);
  Data d;
  for (int i = 0; i < n; ++i) {
    d.predictions.push_back((float(generator() % levels) / levels - 0.5f) * 24);
    d.labels.push_back(generator() % 1000 < rate * 1000);
  }
  return d;
}

/// All pairs of a positive and a negative.
double slowAuc(const Data &d) {
  double right = 0, pairs = 0;
  for (size_t i = 0; i < d.size(); ++i)
    for (size_t j = 0; j < d.size(); ++j) {
      double weight = double(d.labels[i]) * (1.0 - d.labels[j]);
      pairs += weight;
      right += weight * (d.predictions[i] > d.predictions[j] ? 1 : d.predictions[i] == d.predictions[j] ? 0.5 : 0);
    }
  return right / pairs;
}

TaskMetrics measure(const Data &d, const char *loss = "bce") {
  TaskAccumulator a(loss);
  EXPECT_TRUE(a.add(d.predictions.data(), d.labels.data(), d.size()).ok());
  return a.result();
}

} // namespace

TEST(Metrics, MatchesTheDefinitions) {
  for (int levels : {1, 2, 5, 1000, 1000000})
    for (double rate : {0.01, 0.3, 0.95}) {
      Data d = random(1000, levels, rate, levels + int(rate * 100));
      TaskMetrics m = measure(d);
      double loss = 0, p = 0, y = 0;
      for (size_t i = 0; i < d.size(); ++i) {
        double s = 1 / (1 + std::exp(-double(d.predictions[i])));
        loss -= d.labels[i] * std::log(s) + (1 - d.labels[i]) * std::log(1 - s);
        p += s;
        y += d.labels[i];
      }
      double n = d.size(), base = y / n;
      EXPECT_EQ(m.samples, 1000);
      EXPECT_NEAR(m.auc, slowAuc(d), 1e-15);
      EXPECT_NEAR(*m.logLoss, loss / n, 1e-9 * loss / n);
      EXPECT_NEAR(*m.baseRate, base, 1e-15);
      EXPECT_NEAR(*m.ne, loss / n / -(base * std::log(base) + (1 - base) * std::log(1 - base)), 1e-9 * *m.ne);
      EXPECT_NEAR(*m.calibration, p / y, 1e-12 * p / y);
      EXPECT_FALSE(m.oneClass);
    }
}

TEST(Metrics, SmallCasesByHand) {
  EXPECT_EQ(measure({{1, 2, 3, 4}, {0, 0, 1, 1}}).auc, 1.0);
  EXPECT_EQ(measure({{4, 3, 2, 1}, {0, 0, 1, 1}}).auc, 0.0);
  EXPECT_EQ(measure({{1, 1, 1, 1}, {0, 0, 1, 1}}).auc, 0.5);
  EXPECT_EQ(measure({{1, 2, 2, 3}, {0, 0, 1, 1}}).auc, 0.875);
  EXPECT_EQ(measure({{0.0f, -0.0f}, {0, 1}}).auc, 0.5);
  EXPECT_NEAR(*measure({{0, 0}, {0, 1}}).logLoss, std::log(2.0), 1e-15);
  EXPECT_NEAR(*measure({{0, 0}, {0, 1}}).ne, 1.0, 1e-15);
  EXPECT_EQ(*measure({{0, 0}, {0, 1}}).calibration, 1.0);
}

// Close logits whose sigmoids are equal still have an order: AUC is of logits.
TEST(Metrics, AucSeesBeyondTheSigmoid) { EXPECT_EQ(measure({{40, 41, 90, 91}, {0, 0, 1, 1}}).auc, 1.0); }

TEST(Metrics, SoftLabels) {
  Data d = random(300, 20, 0.5, 3);
  for (size_t i = 0; i < d.size(); i += 3)
    d.labels[i] = 0.25f;
  EXPECT_NEAR(measure(d).auc, slowAuc(d), 1e-13);
}

TEST(Metrics, UndefinedIsSaid) {
  TaskMetrics none = measure({{1, 2}, {0, 0}});
  EXPECT_TRUE(none.oneClass);
  EXPECT_EQ(none.auc, 0.5);
  EXPECT_FALSE(none.calibration.has_value());
  EXPECT_FALSE(none.ne.has_value());
  EXPECT_EQ(*none.baseRate, 0);
  TaskMetrics all = measure({{1, 2}, {1, 1}});
  EXPECT_TRUE(all.oneClass);
  EXPECT_TRUE(all.calibration.has_value());
  EXPECT_FALSE(all.ne.has_value());
  TaskMetrics empty = measure({});
  EXPECT_EQ(empty.samples, 0);
  EXPECT_TRUE(empty.oneClass);
  EXPECT_FALSE(empty.logLoss.has_value());
}

TEST(Metrics, HugeLogits) {
  TaskMetrics m = measure({{3e38f, -3e38f}, {1, 0}});
  EXPECT_EQ(*m.logLoss, 0);
  EXPECT_EQ(*m.calibration, 1);
  TaskMetrics wrong = measure({{1000, -1000}, {0, 1}});
  EXPECT_EQ(*wrong.logLoss, 1000);
}

TEST(Metrics, MeanSquaredError) {
  TaskMetrics m = measure({{1, 2.5f, -1}, {0, 2, 4}}, "mse");
  EXPECT_NEAR(*m.mse, (1 + 0.25 + 25) / 3, 1e-15);
  EXPECT_EQ(toJson(m), R"({"samples":3,"mse":8.75})");
  EXPECT_EQ(toJson(measure({}, "mse")), R"({"samples":0,"mse":null})");
}

// Whatever rank had which pair, the result has the same bits.
TEST(Metrics, GatheredFromRanks) {
  Data d = random(5000, 50, 0.2, 11); // many ties
  std::string whole = toJson(measure(d));
  for (int ranks : {2, 3, 7}) {
    std::vector<TaskAccumulator> each(ranks, TaskAccumulator("bce"));
    for (size_t i = 0; i < d.size(); ++i)
      ASSERT_TRUE(each[i * 31 % ranks].add(&d.predictions[i], &d.labels[i], 1).ok());
    TaskAccumulator root("bce");
    for (int r = ranks; r-- > 0;)
      ASSERT_TRUE(root.addPairs(each[r].pairs()).ok());
    EXPECT_EQ(toJson(root.result()), whole);
  }
}

// The mean of the ranks' AUCs is another number: the pairs must be gathered.
TEST(Metrics, IsNotTheMeanOverRanks) {
  Data a{{1, 2, 3}, {0, 1, 1}}, b{{11, 12, 13}, {0, 0, 1}}, both = a;
  both.predictions.insert(both.predictions.end(), b.predictions.begin(), b.predictions.end());
  both.labels.insert(both.labels.end(), b.labels.begin(), b.labels.end());
  EXPECT_NE(measure(both).auc, (measure(a).auc + measure(b).auc) / 2);
  EXPECT_NEAR(measure(both).auc, slowAuc(both), 1e-15);
}

TEST(Metrics, RefusesWhatIsNotANumber) {
  TaskAccumulator a("bce");
  float p[] = {1, NAN}, y[] = {1, 0}, two[] = {0, 2};
  EXPECT_EQ(a.add(p, y, 2).message(), "metrics: prediction 1 of 2 is nan");
  float infinite[] = {-INFINITY};
  EXPECT_EQ(a.add(infinite, y, 1).message(), "metrics: prediction 0 of 1 is -inf");
  EXPECT_EQ(a.add(y, p, 2).message(), "metrics: label 1 of 2 is nan, outside [0, 1]");
  EXPECT_EQ(a.add(y, two, 2).message(), "metrics: label 1 of 2 is 2, outside [0, 1]");
  EXPECT_TRUE(a.pairs().empty());
  EXPECT_EQ(a.addPairs(std::vector<float>{1, 0, 1}).message(), "metrics: expected pairs of numbers, but got 3 numbers");
  EXPECT_FALSE(a.addPairs(std::vector<float>{1, 0, NAN, 0}).ok());
  EXPECT_TRUE(a.pairs().empty());
}

TEST(Metrics, Json) {
  nlohmann::json j = nlohmann::json::parse(toJson(measure({{0, 0, 2}, {0, 1, 1}})));
  EXPECT_EQ(j["samples"], 3);
  EXPECT_EQ(j["auc"], 0.75);
  for (const char *key : {"logloss", "ne", "calibration", "base_rate"})
    EXPECT_TRUE(j[key].is_number()) << key;
  EXPECT_FALSE(j.contains("one_class"));
  nlohmann::json none = nlohmann::json::parse(toJson(measure({{0}, {0}})));
  EXPECT_TRUE(none["calibration"].is_null());
  EXPECT_EQ(none["one_class"], true);
}
