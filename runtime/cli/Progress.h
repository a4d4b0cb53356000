// What a person sees while it trains: on a terminal one line that changes, else a plain line now and then.
#pragma once
#include "cli/StepLog.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sparsec::cli {

/// "1.53 M", "820"
std::string shortNumber(double);
/// "1.5s", "12s", "3m20s", "2h05m"
std::string shortTime(double seconds);

/// Steps of so many epochs, the last batch of each being shorter; the largest number where they are more.
int64_t stepsOfEpochs(int64_t epochs, int64_t samples, int64_t batchSize);

class Progress {
public:
  /// `shown` false: says nothing at all.
  Progress(bool shown, bool terminal);
  /// Of the whole run, when known.
  void setTotalSteps(std::optional<int64_t> steps) { total = steps; }
  void setAuc(double value) { auc = value; }
  void step(const StepRecord &);
  /// A line of its own.
  void say(const std::string &line);
  /// Leaves the last line standing.
  void finish();

private:
  using Clock = std::chrono::steady_clock;
  std::string line(double seconds) const;
  bool shown, terminal, pending = false;
  std::optional<int64_t> total;
  std::optional<double> auc;
  Clock::time_point started = Clock::now(), printed = started;
  // Since the last line.
  StepRecord last;
  double lossSum = 0;
  int64_t steps = 0, samples = 0;
  bool anyLine = false;
};

} // namespace sparsec::cli
