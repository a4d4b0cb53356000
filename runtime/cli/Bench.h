// How fast steps are, on made-up samples.
#pragma once
#include "cli/Options.h"
#include "cli/Session.h"
#include "sparsec/WorkTime.h"
#include <string>

namespace sparsec::cli {

/// Milliseconds of one stage.
struct StageTimes {
  double mean = 0, median = 0, p95 = 0, least = 0;
};

/// Rank 0's clock.
struct BenchResult {
  int64_t steps = 0, samples = 0; // measured
  double seconds = 0;
  StageTimes step;        // input and train together
  StageTimes input;       // waiting for the batch
  StageTimes train;       // the train entry point
  StageTimes predict;     // the predict entry point on a batch of as many samples; 0 where there is none
  GraphCounts graphs;     // of the steps of `train`
  int64_t timedSteps = 0; // with --kernels, the last of all
  std::vector<WorkTime> kernels;
  double samplesPerSecond() const { return seconds > 0 ? double(samples) / seconds : 0; }
};

/// Every rank calls it.
Result<BenchResult> bench(Session &, const Options &);

std::string benchJson(const Session &, const BenchResult &);
std::string benchText(const Session &, const BenchResult &);

} // namespace sparsec::cli
