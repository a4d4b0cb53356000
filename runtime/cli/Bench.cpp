#include "cli/Bench.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/Progress.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace sparsec::cli {

namespace {

constexpr int64_t defaultSteps = 100, warmUpSteps = 5;

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

StageTimes summarise(std::vector<double> times) {
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
  std::vector<double> step, input, train, predict;
  Stopwatch watch;

  for (int64_t i = 0; image.train && i < warmUpSteps + result.steps; ++i) {
    watch.lap();
    const Batch *batch = (*source)->next();
    double waited = watch.lap();
    if (Status s = session.context().run(image.train, *batch, i + 1); !s)
      return s;
    double ran = watch.lap();
    if (i < warmUpSteps)
      continue;
    input.push_back(waited), train.push_back(ran), step.push_back(waited + ran);
    result.seconds += (waited + ran) / 1e3;
    result.samples += batch->globalSamples;
  }
  for (int64_t i = 0; image.predict && i < warmUpSteps + result.steps; ++i) {
    const Batch *batch = (*source)->next();
    watch.lap();
    if (Status s = session.context().run(image.predict, *batch, i + 1); !s)
      return s;
    double ran = watch.lap();
    if (i < warmUpSteps)
      continue;
    predict.push_back(ran);
    if (!image.train) {
      result.seconds += ran / 1e3;
      result.samples += batch->globalSamples;
    }
  }
  result.step = summarise(step), result.input = summarise(input);
  result.train = summarise(train), result.predict = summarise(predict);
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
  if (session.image().predict)
    out["predict_ms"] = json(r.predict);
  return out.dump();
}

std::string benchText(const Session &session, const BenchResult &r) {
  const Program &program = session.program();
  std::string text =
      fmt::format("{}: {}samples/s ({} steps of {} samples, {} ranks x {} threads)\n", program.model,
                  shortNumber(r.samplesPerSecond()), r.steps, program.batchSize, program.mesh.ranks(), session.threads());
  text += fmt::format("{:<10}{:>10}{:>10}{:>10}{:>10}  ms\n", "", "mean", "median", "p95", "min");
  auto line = [&](const char *name, const StageTimes &t) {
    text += fmt::format("{:<10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", name, t.mean, t.median, t.p95, t.least);
  };
  if (session.image().train)
    line("step", r.step), line("  input", r.input), line("  train", r.train);
  if (session.image().predict)
    line("predict", r.predict);
  return text;
}

} // namespace sparsec::cli
