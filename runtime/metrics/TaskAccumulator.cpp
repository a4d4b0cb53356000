#include "sparsec/Metrics.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec {
namespace {

struct Sample {
  float prediction, label;
};

/// Area under the ROC curve of samples sorted by prediction: the share of (positive, negative) pairs in the right
/// order, ties counted half. A label between 0 and 1 is that much of a positive and the rest of a negative. Sums stay
/// whole numbers (or halves) for labels 0 and 1, so the only rounding is that of the last division for up to 2^26
/// positives and negatives; beyond that its relative error is about 1e-16 times the number of distinct predictions.
double sortedAuc(const std::vector<Sample> &sorted, bool &oneClass) {
  double area = 0, positives = 0, negatives = 0;
  for (size_t i = 0; i < sorted.size();) {
    double tiedPositives = 0, tiedNegatives = 0;
    size_t end = i;
    for (; end < sorted.size() && sorted[end].prediction == sorted[i].prediction; ++end) {
      tiedPositives += sorted[end].label;
      tiedNegatives += 1.0 - sorted[end].label;
    }
    area += tiedPositives * (negatives + 0.5 * tiedNegatives);
    positives += tiedPositives;
    negatives += tiedNegatives;
    i = end;
  }
  oneClass = positives == 0 || negatives == 0;
  return oneClass ? 0.5 : area / (positives * negatives);
}

/// -y log p - (1 - y) log(1 - p) of p = sigmoid(z), without overflow for any z.
double binaryCrossEntropy(double z, double y) { return std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::fabs(z))); }

/// 0 log 0 = 0.
double entropy(double p) { return -(p > 0 ? p * std::log(p) : 0) - (p < 1 ? (1 - p) * std::log1p(-p) : 0); }

double sigmoid(double z) {
  double e = std::exp(-std::fabs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

void binaryMetrics(std::vector<Sample> &samples, TaskMetrics &result) {
  // Sorted by both: sums too are then the same for every order the pairs came in.
  std::sort(samples.begin(), samples.end(), [](const Sample &a, const Sample &b) {
    return a.prediction < b.prediction || (a.prediction == b.prediction && a.label < b.label);
  });
  result.auc = sortedAuc(samples, result.oneClass);
  double loss = 0, probabilities = 0, labels = 0;
  for (const Sample &s : samples) {
    loss += binaryCrossEntropy(s.prediction, s.label);
    probabilities += sigmoid(s.prediction);
    labels += s.label;
  }
  double n = samples.size();
  result.logLoss = loss / n;
  result.baseRate = labels / n;
  if (double e = entropy(*result.baseRate); e > 0)
    result.ne = *result.logLoss / e;
  if (labels > 0)
    result.calibration = probabilities / labels;
}

double meanSquaredError(std::vector<Sample> &samples) {
  std::vector<double> squares;
  squares.reserve(samples.size());
  for (const Sample &s : samples) {
    double error = double(s.prediction) - s.label;
    squares.push_back(error * error);
  }
  std::sort(squares.begin(), squares.end());
  double sum = 0;
  for (double square : squares)
    sum += square;
  return sum / squares.size();
}

std::string number(const std::optional<double> &value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "null";
}

} // namespace

Status TaskAccumulator::add(const float *predictions, const float *labels, int64_t n) {
  size_t before = kept.size();
  for (int64_t i = 0; i < n; ++i) {
    bool sound = std::isfinite(predictions[i]);
    if (!sound || !(loss == "bce" ? labels[i] >= 0 && labels[i] <= 1 : std::isfinite(labels[i]))) {
      kept.resize(before);
      return Status::error(sound ? fmt::format("metrics: label {} of {} is {}{}", i, n, labels[i],
                                               loss == "bce" ? ", outside [0, 1]" : "")
                                 : fmt::format("metrics: prediction {} of {} is {}", i, n, predictions[i]));
    }
    kept.push_back(predictions[i]);
    kept.push_back(labels[i]);
  }
  return Status();
}

Status TaskAccumulator::addPairs(std::span<const float> pairs) {
  if (pairs.size() % 2)
    return Status::error(fmt::format("metrics: expected pairs of numbers, but got {} numbers", pairs.size()));
  size_t before = kept.size();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (Status s = add(&pairs[i], &pairs[i + 1], 1); !s) {
      kept.resize(before);
      return s;
    }
  return Status();
}

TaskMetrics TaskAccumulator::result() const {
  TaskMetrics result;
  result.loss = loss;
  result.samples = kept.size() / 2;
  result.oneClass = kept.empty();
  std::vector<Sample> samples;
  samples.reserve(result.samples);
  for (size_t i = 0; i < kept.size(); i += 2)
    samples.push_back({kept[i], kept[i + 1]});
  if (loss == "mse") {
    result.oneClass = false;
    if (!samples.empty())
      result.mse = meanSquaredError(samples);
  } else if (!samples.empty()) {
    binaryMetrics(samples, result);
  }
  return result;
}

std::string toJson(const TaskMetrics &m) {
  if (m.loss == "mse")
    return fmt::format(R"({{"samples":{},"mse":{}}})", m.samples, number(m.mse));
  return fmt::format(R"({{"samples":{},"auc":{},"logloss":{},"ne":{},"calibration":{},"base_rate":{}{}}})", m.samples,
                     number(m.auc), number(m.logLoss), number(m.ne), number(m.calibration), number(m.baseRate),
                     m.oneClass ? R"(,"one_class":true)" : "");
}

} // namespace sparsec
