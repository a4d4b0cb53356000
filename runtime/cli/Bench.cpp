#include "cli/Bench.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/Progress.h"
#include "sparsec/Engine.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace sparsec::cli {

namespace {

constexpr int64_t defaultSteps = 100, warmUpSteps = 5, kernelSteps = 10;

class Stopwatch {
public:
  /// Milliseconds since the last lap.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start, now)).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// One step, in milliseconds.
struct Lap {
  double waited = 0, ran = 0; // for its batch to be ready; in the step
  int64_t samples = 0;
  double step() const { return waited + ran; }
};

template <typename Part> StageTimes summarise(const std::vector<Lap> &laps, Part part) {
  std::vector<double> times;
  for (const Lap &lap : laps)
    times.push_back(part(lap));
  if (times.empty())
    return {};
  std::sort(times.begin(), times.end());
  size_t n = times.size();
  return {std::accumulate(times.begin(), times.end(), 0.0) / double(n), times[n / 2], times[(n * 95) / 100], times[0]};
}

Result<std::unique_ptr<BatchSource>> openSource(const Session &session, const Options &options) {
  SyntheticOptions made;
  made.batchSize = session.program().batchSize;
  made.rank = session.world().rank();
  made.ranks = session.world().size();
  made.seed = session.program().seed;
  for (const FeatureColumn &feature : session.program().features) {
    SyntheticFeature f;
    f.zipf = options.zipf.value_or(f.zipf);
    f.bagLength = feature.separator.empty() ? 1 : options.bagLength;
    made.features.push_back(f);
  }
  return makeSynthetic(session.program(), made);
}

struct Measured {
  std::vector<Lap> laps;
  GraphCounts graphs; // of these
};

GraphCounts operator-(const GraphCounts &a, const GraphCounts &b) {
  return {a.direct - b.direct, a.captured - b.captured, a.launched - b.launched};
}

/// Laps of `steps` steps after some to warm up; none if the program lacks this step.
Status measure(Session &session, const SparsecStages &stages, BatchSource &source, int64_t warmUpSteps, int64_t steps,
               Measured &measured) {
  if (!stages.step)
    return {};
  InputAhead batches(session.inputThread(), source, stages.input, 1, warmUpSteps + steps);
  const Engine &engine = session.context().engine();
  GraphCounts before;
  Stopwatch watch;
  for (int64_t i = 0; i < warmUpSteps + steps; ++i) {
    if (i == warmUpSteps)
      before = engine.graphs();
    watch.lap();
    Result<PreparedBatch *> next = batches.next();
    double waited = watch.lap();
    if (!next)
      return next.status();
    // As in training the device may be at work on it when the next one begins; the last lap waits for all.
    Status s = startStep(session.context(), stages.step, **next);
    if (s.ok() && i + 1 == warmUpSteps + steps)
      s = session.context().settle();
    if (!s)
      return s;
    double ran = watch.lap();
    if (i >= warmUpSteps)
      measured.laps.push_back({waited, ran, (*next)->batch->globalSamples});
  }
  measured.graphs = engine.graphs() - before;
  return {};
}

/// Steps of training, or else of prediction, with every kernel timed.
Status timeKernels(Session &session, BatchSource &source, BenchResult &result) {
  const SparsecProgramImage &image = session.image();
  Engine &engine = session.context().engine();
  if (Status s = agreeStatus(session.world(), engine.startTimes()); !s)
    return s;
  Measured measured;
  Status status = measure(session, image.train.step ? image.train : image.predict, source, 0, kernelSteps, measured);
  result.timedSteps = int64_t(measured.laps.size());
  result.kernels = engine.times();
  return status;
}

/// Numbers of one step; rates where there is something to say.
nlohmann::ordered_json json(const WorkTime &work, double steps) {
  nlohmann::ordered_json out = {
      {"name", work.name}, {"launches", double(work.calls) / steps}, {"us", work.milliseconds * 1e3 / steps}};
  if (work.bytes > 0)
    out["bytes"] = work.bytes / steps;
  if (work.flops > 0)
    out["flops"] = work.flops / steps;
  return out;
}

nlohmann::ordered_json json(const StageTimes &t) {
  return {{"mean", t.mean}, {"median", t.median}, {"p95", t.p95}, {"min", t.least}};
}

} // namespace

Result<BenchResult> bench(Session &session, const Options &options) {
  Result<std::unique_ptr<BatchSource>> source = openSource(session, options);
  if (Status s = agreeStatus(session.world(), source.status()); !s)
    return s;
  const SparsecProgramImage &image = session.image();
  BenchResult result;
  result.steps = options.steps.value_or(defaultSteps);
  Measured train, predict;
  for (auto [stages, measured] : {std::pair(&image.train, &train), std::pair(&image.predict, &predict)})
    if (Status s = measure(session, *stages, **source, warmUpSteps, result.steps, *measured); !s)
      return s;
  for (const Lap &lap : (image.train.step ? train : predict).laps) {
    result.seconds += lap.step() / 1e3;
    result.samples += lap.samples;
  }
  result.step = summarise(train.laps, [](const Lap &lap) { return lap.step(); });
  result.input = summarise(train.laps, [](const Lap &lap) { return lap.waited; });
  result.train = summarise(train.laps, [](const Lap &lap) { return lap.ran; });
  result.predict = summarise(predict.laps, [](const Lap &lap) { return lap.ran; });
  result.graphs = train.graphs;
  if (options.kernels)
    if (Status s = timeKernels(session, **source, result); !s)
      return s;
  return result;
}

std::string benchJson(const Session &session, const BenchResult &r) {
  const Program &program = session.program();
  nlohmann::ordered_json out = {{"model", program.model},
                                {"target", program.target},
                                {"ranks", program.mesh.ranks()},
                                {"threads", session.threads()},
                                {"batch_size", program.batchSize},
                                {"steps", r.steps},
                                {"samples_per_second", r.samplesPerSecond()},
                                {"step_ms", json(r.step)},
                                {"stages_ms", {{"input", json(r.input)}, {"train", json(r.train)}}}};
  if (session.image().predict.step)
    out["predict_ms"] = json(r.predict);
  if (session.image().backend) // by step
    out["graphs"] = {{"launched", double(r.graphs.launched) / double(r.steps)},
                     {"captured", double(r.graphs.captured) / double(r.steps)},
                     {"direct", double(r.graphs.direct) / double(r.steps)}};
  for (const WorkTime &work : r.kernels)
    out["kernels"].push_back(json(work, double(r.timedSteps)));
  return out.dump();
}

std::string benchText(const Session &session, const BenchResult &r) {
  const Program &program = session.program();
  std::string text = fmt::format("{}: {}samples/s ({} steps of {} samples, {} {} x {} {})\n", program.model,
                                 shortNumber(r.samplesPerSecond()), r.steps, program.batchSize, program.mesh.ranks(),
                                 program.mesh.ranks() == 1 ? "rank" : "ranks", session.threads(),
                                 session.threads() == 1 ? "thread" : "threads");
  text += fmt::format("{:<10}{:>10}{:>10}{:>10}{:>10}  ms\n", "", "mean", "median", "p95", "min");
  auto line = [&](const char *name, const StageTimes &t) {
    text += fmt::format("{:<10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", name, t.mean, t.median, t.p95, t.least);
  };
  if (session.image().train.step)
    line("step", r.step), line("  input", r.input), line("  train", r.train);
  if (session.image().predict.step)
    line("predict", r.predict);
  if (session.image().backend && session.image().train.step)
    text +=
        fmt::format("{:.1f} graphs launched in a step, {:.1f} captured, {:.1f} pieces of work asked for one by one\n",
                    double(r.graphs.launched) / double(r.steps), double(r.graphs.captured) / double(r.steps),
                    double(r.graphs.direct) / double(r.steps));
  if (!r.kernels.empty())
    text += fmt::format("{:<48}{:>9}{:>12}  of a step\n", "", "launches", "us");
  for (const WorkTime &work : r.kernels)
    text += fmt::format("{:<48}{:>9.1f}{:>12.1f}\n", work.name, double(work.calls) / double(r.timedSteps),
                        work.milliseconds * 1e3 / double(r.timedSteps));
  return text;
}

} // namespace sparsec::cli
