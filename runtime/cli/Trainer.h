// The training loop of one rank.
#pragma once
#include "cli/Evaluator.h"
#include "cli/Options.h"
#include "cli/Progress.h"
#include "cli/Session.h"
#include "cli/StepLog.h"
#include "cli/StopPoll.h"
#include <memory>
#include <optional>

namespace sparsec::cli {

class Trainer {
public:
  /// `seed`: of a run that starts anew.
  Trainer(Session &, const Options &, uint64_t seed);

  /// From the checkpoint or the initial values to the last step, then saves and evaluates. Every rank calls it; all get
  /// the same status. The progress line and the log are rank 0's.
  Status run();

  const CheckpointState &state() const { return at; }
  /// Someone asked it to stop before its end; it has saved.
  bool interrupted() const { return stopped; }
  /// Rank 0: the last evaluation, if there was one.
  const std::optional<Evaluation> &evaluation() const { return evaluated; }

private:
  Status prepare();
  Status resume();
  Status openSources();
  void planTotal();
  Status loop();
  Status steps();
  Status noSamples() const;
  Status afterStep(const Batch &);
  /// Something comes behind this step that must not find it under way.
  bool rests() const;
  /// Logs the step before, once it is settled.
  void logSettled();
  void log(StepRecord);
  Status save();
  Status evaluateNow();
  Status finish();
  bool stepsDone() const { return options.steps && at.step >= *options.steps; }

  Session &session;
  const Options &options;
  Progress progress;
  StepLog stepLog;
  StopPoll stopPoll;
  std::optional<int64_t> epochs; // where the run ends
  CheckpointState at;
  std::unique_ptr<BatchSource> source, evalSource; // source is null if there is nothing to train
  int64_t savedStep = -1, evaluatedStep = -1;
  bool stopped = false;
  std::optional<Evaluation> evaluated;
  std::optional<StepRecord> unlogged; // may still be under way

  std::chrono::steady_clock::time_point started, logged;
  int64_t firstStep = 0, samples = 0, samplesSinceLog = 0;
};

} // namespace sparsec::cli
