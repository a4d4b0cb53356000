// Metrics of a task over all samples of all ranks.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparsec {

/// What is undefined is absent: everything without samples, calibration without
/// a positive, ne with one class.
struct TaskMetrics {
  std::string loss; // bce, mse
  int64_t samples = 0;
  double auc = 0.5;                                         // exact, ties count half; 0.5 if a class is missing
  bool oneClass = false;                                    // a class is missing: auc says nothing
  std::optional<double> logLoss, ne, calibration, baseRate; // bce
  std::optional<double> mse;                                // mse
};

/// {"samples":..,"auc":..,"logloss":..,"ne":..,"calibration":..,"base_rate":..}
/// for bce, with "one_class":true where a class is missing;
/// {"samples":..,"mse":..} for mse. Undefined or not finite: null.
std::string toJson(const TaskMetrics &);

/// Keeps every (prediction, label) pair of a task: 8 bytes a sample. The result
/// does not depend on the order of pairs, so ranks may gather them in any
/// order.
class TaskAccumulator {
public:
  /// `loss`: bce (predictions are logits, labels in [0, 1]) or mse.
  explicit TaskAccumulator(std::string loss) : loss(std::move(loss)) {}
  /// Refuses what is not finite, and labels of bce outside [0, 1], and keeps nothing of the call then.
  Status add(const float *predictions, const float *labels, int64_t n);
  /// The state: prediction, label, prediction, label, ... What a rank sends to
  /// the one that computes.
  const std::vector<float> &pairs() const { return kept; }
  Status addPairs(std::span<const float> pairs);
  void clear() { kept.clear(); }
  /// O(n log n), once at the end.
  TaskMetrics result() const;

private:
  std::string loss;
  std::vector<float> kept;
};

} // namespace sparsec
