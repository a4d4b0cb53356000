#include "random/Check.h"
#include "reference/LoadText.h"
#include "reference/Reference.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec::execution {

namespace {

constexpr double lossLimit = 1e-5, weightLimit = 1e-4, moveLimit = 1e-5;

using reference::Reference;

double relative(double a, double b) {
  double d = std::abs(a - b) / std::max(std::abs(b), 1e-2);
  return std::isnan(d) ? INFINITY : d;
}

double lossDistance(const std::vector<double> &a, const std::vector<double> &b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, relative(a[i], b[i]));
  return worst;
}

struct Expected {
  std::vector<double> losses;
  Reference after;
};

/// `nudge`: every weight starts multiplied by about 1 + nudge, in a direction that `seed` says.
Expected runReference(const description::Loaded &loaded, std::span<const reference::Row> rows, int64_t steps,
                      double nudge = 0, uint64_t seed = 0) {
  Reference reference(loaded);
  Dice dice(seed);
  for (auto &[name, parameter] : reference.parameters)
    for (double &w : parameter.value.values)
      w *= 1 + nudge * double(dice.between(-1000, 1000)) / 1000;
  std::vector<double> losses = reference.train(rows, steps);
  return {std::move(losses), std::move(reference)};
}

double weightDistance(const Reference &a, const Reference &b) {
  double worst = 0;
  for (auto &[name, parameter] : a.parameters)
    for (size_t i = 0; i < parameter.value.values.size(); ++i) {
      double other = b.parameters.at(name).value.values[i];
      worst = std::max(worst, std::abs(parameter.value.values[i] - other) / std::max(1.0, std::abs(other)));
    }
  return worst;
}

/// How far the reference itself moves when its weights move by 1e-7: the most of a few directions, as one alone may be
/// that in which a model near a kink does not move.
double movement(const description::Loaded &loaded, std::span<const reference::Row> rows, int64_t steps,
                const Expected &expected) {
  double most = 0;
  for (uint64_t direction = 1; direction <= 4 && most <= moveLimit; ++direction) {
    Expected nudged = runReference(loaded, rows, steps, 1e-7, direction);
    double moved = std::max(lossDistance(nudged.losses, expected.losses), weightDistance(nudged.after, expected.after));
    most = moved <= most ? most : moved; // also if it is not a number
  }
  return most;
}

void compareTensor(const Tensors &tensors, const std::string &name, const std::vector<double> &expected,
                   Outcome &outcome) {
  auto found = tensors.find(name);
  double error = found == tensors.end() ? INFINITY : distance(found->second.values, expected);
  outcome.weightError = std::max(outcome.weightError, error);
  if (!(error <= weightLimit))
    outcome.failure += fmt::format("tensor {} is off by {}\n", name, error);
}

void comparePredictions(const Ran &ran, const std::vector<std::vector<double>> &expected, Outcome &outcome) {
  if (!ran.ok()) {
    outcome.failure += "predict: " + ran.err;
    return;
  }
  auto found = readPredictions(ran.out);
  double worst = found.size() == expected.size() ? 0 : INFINITY;
  for (size_t n = 0; n < std::min(found.size(), expected.size()); ++n)
    for (size_t t = 0; t < expected[n].size(); ++t)
      worst = std::max(worst, relative(found[n].at(t), expected[n][t]) *
                                  std::min(1.0, std::max(std::abs(expected[n][t]), 1e-2)));
  if (!(worst <= weightLimit))
    outcome.failure += fmt::format("predictions are off by {}\n", worst);
}

void compareLosses(const std::vector<double> &found, const std::vector<double> &expected, Outcome &outcome) {
  outcome.lossError = lossDistance(found, expected);
  if (outcome.lossError <= lossLimit)
    return;
  size_t at = 0;
  while (at < std::min(found.size(), expected.size()) && relative(found[at], expected[at]) <= lossLimit)
    ++at;
  outcome.failure += at < std::min(found.size(), expected.size())
                         ? fmt::format("the loss of step {} is {}, but should be {}\n", at + 1, found[at], expected[at])
                         : fmt::format("{} losses, but should be {}\n", found.size(), expected.size());
}

/// The same numbers, bit for bit?
void compareBits(const Trained &a, const Trained &b, const char *what, Outcome &outcome) {
  if (!b.ran.ok()) {
    outcome.failure += fmt::format("{}: {}", what, b.ran.err);
    return;
  }
  if (a.losses != b.losses)
    outcome.failure += fmt::format("{}: other losses\n", what);
  for (const auto &[name, tensor] : a.tensors)
    if (auto found = b.tensors.find(name); found == b.tensors.end() || found->second.values != tensor.values)
      outcome.failure += fmt::format("{}: another `{}`\n", what, name);
}

/// An executable with its data beside it.
struct Executable {
  explicit Executable(const RandomModel &model, const std::string &target = "cpu")
      : compiled(write(model), model.mesh, planText("random", model.mesh, model.tables), target) {
    writeFile(data, model.data);
  }
  std::string write(const RandomModel &model) {
    writeFile(folder / "model.textproto", model.description);
    return folder / "model.textproto";
  }
  TemporaryFolder folder;
  Compiled compiled;
  std::string data = folder / "data.csv";
};

} // namespace

Outcome checkModel(const RandomModel &model, const CheckOptions &options) {
  Outcome outcome;
  description::Loaded loaded = reference::loadText(model.description);
  std::vector<reference::Row> rows = reference::readRows(loaded, model.data);
  Expected expected = runReference(loaded, rows, options.steps);
  if (!(movement(loaded, rows, options.steps, expected) <= moveLimit)) {
    outcome.skipped = true;
    return outcome;
  }

  Executable executable(model, options.target);
  if (!executable.compiled.ok()) {
    outcome.failure = "compiling: " + executable.compiled.errors();
    return outcome;
  }
  auto train = [&](const std::string &checkpoint, int threads) {
    return executable.compiled.train(executable.data, checkpoint,
                                     {.steps = options.steps, .threads = threads, .load = "", .mpi = options.mpi});
  };
  Trained trained = train("once", 1);
  if (!trained.ran.ok()) {
    outcome.failure = fmt::format("training (exit {}): {}", trained.ran.code, trained.ran.err);
    return outcome;
  }
  compareLosses(trained.losses, expected.losses, outcome);
  for (const auto &[name, parameter] : expected.after.parameters)
    compareTensor(trained.tensors, name, parameter.value.values, outcome);
  for (const auto &[name, state] : expected.after.states)
    compareTensor(trained.tensors, name, state.values, outcome);
  if (size_t all = expected.after.parameters.size() + expected.after.states.size(); trained.tensors.size() != all)
    outcome.failure += fmt::format("the checkpoint has {} tensors, but should have {}\n", trained.tensors.size(), all);
  comparePredictions(executable.compiled.predict(executable.data, "once"), expected.after.predict(rows), outcome);
  if (options.twice)
    compareBits(trained, train("again", 2), "again, on 2 threads", outcome);
  return outcome;
}

Outcome checkResume(const RandomModel &model, const std::vector<RandomModel> &others, int64_t steps) {
  Outcome outcome;
  Executable first(model);
  auto trainFirst = [&](const std::string &checkpoint, int64_t until) {
    return first.compiled.train(first.data, checkpoint, {.steps = until, .threads = 1, .load = "", .mpi = false});
  };
  Trained half = trainFirst("half", steps / 2), whole = trainFirst("whole", steps);
  if (!half.ran.ok() || !whole.ran.ok()) {
    outcome.failure = first.compiled.errors() + half.ran.err + whole.ran.err;
    return outcome;
  }
  std::vector<double> rest(whole.losses.begin() + steps / 2, whole.losses.end());
  for (const RandomModel &other : others) {
    Executable second(other);
    auto goOn = [&](const std::string &checkpoint, int64_t until) {
      return second.compiled.train(second.data, checkpoint,
                                   {.steps = until, .threads = 1, .load = first.compiled / "half", .mpi = false});
    };
    Trained loaded = goOn("loaded", steps / 2), resumed = goOn("resumed", steps);
    loaded.losses = half.losses; // trains no more
    Outcome one;
    compareBits(half, loaded, "loaded", one);
    compareLosses(resumed.losses, rest, one);
    for (const auto &[name, tensor] : whole.tensors)
      compareTensor(resumed.tensors, name, {tensor.values.begin(), tensor.values.end()}, one);
    if (!resumed.ran.ok())
      one.failure += resumed.ran.err;
    if (!one.failure.empty())
      outcome.failure += other.mesh.name() + ": " + one.failure;
  }
  return outcome;
}

Outcome compareRuns(const RandomModel &left, const RandomModel &right, int64_t steps) {
  Outcome outcome;
  Trained trained[2];
  for (const RandomModel *model : {&left, &right}) {
    Executable executable(*model);
    Trained &one = trained[model == &right];
    if (executable.compiled.ok())
      one =
          executable.compiled.train(executable.data, "once", {.steps = steps, .threads = 1, .load = "", .mpi = false});
    if (!executable.compiled.ok() || !one.ran.ok()) {
      outcome.failure = executable.compiled.errors() + one.ran.err;
      return outcome;
    }
  }
  compareLosses(trained[0].losses, trained[1].losses, outcome);
  for (const auto &[name, tensor] : trained[1].tensors)
    compareTensor(trained[0].tensors, name, {tensor.values.begin(), tensor.values.end()}, outcome);
  return outcome;
}

} // namespace sparsec::execution
