#include "cli/Progress.h"
#include <cstdio>
#include <fmt/format.h>
#include <limits>

namespace sparsec::cli {

namespace {
constexpr double terminalInterval = 0.2, plainInterval = 10; // seconds
} // namespace

std::string shortNumber(double value) {
  for (auto [unit, name] : {std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e3, "k"}})
    if (value >= unit)
      return fmt::format("{:.3g} {}", value / unit, name);
  return fmt::format("{:.3g}", value);
}

std::string shortTime(double seconds) {
  if (seconds < 9.95)
    return fmt::format("{:.1f}s", seconds);
  int64_t s = int64_t(seconds + .5);
  if (s < 60)
    return fmt::format("{}s", s);
  if (s < 3600)
    return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
}

int64_t stepsOfEpochs(int64_t epochs, int64_t samples, int64_t batchSize) {
  int64_t batches = samples / batchSize + (samples % batchSize != 0), steps = 0;
  return __builtin_mul_overflow(epochs, batches, &steps) ? std::numeric_limits<int64_t>::max() : steps;
}

Progress::Progress(bool shown, bool terminal) : shown(shown), terminal(terminal) {}

std::string Progress::line(double seconds) const {
  double rate = seconds > 0 ? double(samples) / seconds : 0;
  std::string text = fmt::format("step {}", last.step);
  if (total)
    text += fmt::format("/{}", *total);
  text += fmt::format("  epoch {}  loss {:.5f}  {}samples/s", last.epoch + 1, lossSum / double(steps),
                      shortNumber(rate) + (rate >= 1e3 ? "" : " "));
  if (auc)
    text += fmt::format("  auc {:.5f}", *auc);
  if (total && rate > 0 && *total > last.step) {
    double perStep = seconds / double(steps);
    text += fmt::format("  {} left", shortTime(perStep * double(*total - last.step)));
  }
  return text;
}

void Progress::step(const StepRecord &record) {
  if (!shown)
    return;
  last = record;
  lossSum += record.loss;
  samples += record.samples;
  ++steps;
  Clock::time_point now = Clock::now();
  double seconds = std::chrono::duration<double>(now - printed).count();
  if (seconds < (terminal ? terminalInterval : anyLine ? plainInterval : 1))
    return;
  if (terminal)
    fmt::print(stderr, "\r\033[K{}", line(seconds));
  else
    fmt::print(stderr, "{}\n", line(seconds));
  std::fflush(stderr);
  pending = terminal;
  anyLine = true;
  printed = now;
  lossSum = 0, steps = 0, samples = 0;
}

void Progress::say(const std::string &text) {
  if (!shown)
    return;
  finish();
  fmt::print(stderr, "{}\n", text);
}

void Progress::finish() {
  if (pending)
    fmt::print(stderr, "\n");
  pending = false;
}

} // namespace sparsec::cli
