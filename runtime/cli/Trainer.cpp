#include "cli/Trainer.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/DataReport.h"
#include "cli/Interrupt.h"
#include "cli/OutputFile.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>

namespace sparsec::cli {

namespace {
double secondsSince(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}
} // namespace

Trainer::Trainer(Session &session, const Options &options, uint64_t seed)
    : session(session), options(options), progress(session.first() && !options.quiet, isatty(STDERR_FILENO)),
      stopPoll(session.world()), epochs(options.epochs) {
  if (!epochs && !options.steps)
    epochs = session.program().epochs;
  at.model = session.program().model;
  at.fingerprint = session.program().fingerprint;
  at.seed = seed;
}

Status Trainer::run() {
  if (!session.image().train.step)
    return Status::error("this executable was compiled without training");
  if (Status s = prepare(); !s)
    return s;
  if (Status s = loop(); !s) {
    progress.finish();
    return s;
  }
  return finish();
}

Status Trainer::prepare() {
  // Whatever can fail at the end of a long run is tried now.
  Status status;
  std::vector<std::string> inputs = options.data;
  inputs.insert(inputs.end(), options.evalData.begin(), options.evalData.end());
  std::vector<std::string> inUse = inputs;
  inUse.push_back(options.log);
  inputs.push_back(options.load);
  if (session.first() && !options.save.empty())
    status = checkSaveDirectory(options.save, options.load, inUse);
  if (session.first() && status.ok())
    status = refuseToOverwrite(options.log, inputs);
  if (session.first() && status.ok() && !options.log.empty()) {
    auto opened = StepLog::open(options.log, /*append=*/!options.load.empty());
    status = opened.status();
    stepLog = std::move(*opened);
  }
  if (Status s = agreeStatus(session.world(), status); !s)
    return s;
  if (Status s = session.compareFiles(options.data); !s)
    return s;
  if (Status s = session.compareFiles(options.evalData); !s)
    return s;
  if (!options.load.empty())
    if (Status s = resume(); !s)
      return s;
  if (Status s = openSources(); !s)
    return s;
  planTotal();
  return {};
}

Status Trainer::resume() {
  auto state = session.load(options.load);
  if (!state)
    return state.status();
  if (options.seed && *options.seed != state->seed)
    return Status::error(fmt::format("{}: the run was started with --seed {}; it cannot go on with --seed {}",
                                     options.load, state->seed, *options.seed));
  at = *state;
  at.model = session.program().model;
  progress.say(
      fmt::format("loaded step {} (epoch {}, batch {}) from `{}`", at.step, at.epoch + 1, at.position, options.load));
  return {};
}

Status Trainer::openSources() {
  Status status;
  bool done = stepsDone() || (epochs && at.epoch >= *epochs);
  int rank = session.world().rank();
  if (!done) {
    ReaderOptions reader = ReaderOptions::train(session.program(), rank);
    reader.epochs = epochs.value_or(0);
    reader.seed = at.seed;
    reader.threads = session.readerThreads();
    auto opened = openReader(session.program(), options.data, reader);
    status = opened.status();
    source = std::move(*opened);
    if (status.ok() && (at.epoch || at.position))
      status = source->seek({at.epoch, at.position});
  }
  if (status.ok() && !options.evalData.empty()) {
    ReaderOptions reader = ReaderOptions::evaluate(session.program(), rank);
    reader.threads = session.readerThreads();
    auto opened = openReader(session.program(), options.evalData, reader);
    status = opened.status();
    evalSource = std::move(*opened);
  }
  if (Status s = agreeStatus(session.world(), status); !s)
    return s;
  if (done)
    progress.say(fmt::format("nothing to train: step {} of epoch {} is at or past the end that was asked for; "
                             "--steps and --epochs count from the start of the run",
                             at.step, at.epoch + 1));
  return {};
}

/// The number of steps, for the time left: where it is given, or where counting the samples takes no time.
void Trainer::planTotal() {
  constexpr uintmax_t quick = uintmax_t(64) << 20; // bytes of text
  if (!source || !session.first() || options.quiet)
    return;
  std::optional<int64_t> total = options.steps;
  uintmax_t bytes = 0;
  std::error_code code;
  for (const std::string &file : options.data)
    bytes += std::filesystem::file_size(file, code);
  if (epochs && !code && bytes <= quick) {
    int64_t ofEpochs = stepsOfEpochs(*epochs, source->epochSamples(), session.program().batchSize);
    total = std::min(total.value_or(ofEpochs), ofEpochs);
  }
  progress.setTotalSteps(total);
}

Status Trainer::noSamples() const {
  return Status::error(
      fmt::format("{}: expected samples to train on, but there are none", fmt::join(options.data, ", ")));
}

Status Trainer::loop() {
  started = logged = std::chrono::steady_clock::now();
  firstStep = at.step;
  if (!source)
    return {};
  Status status = steps();
  // A loss that was not finite comes before whatever went wrong behind its step.
  Status settled = session.context().settle();
  logSettled();
  if (!settled.ok() && (status.ok() || session.context().stoppedTogether()))
    return settled;
  if (!status)
    return status;
  return at.step == firstStep && !stopped ? noSamples() : Status();
}

Status Trainer::steps() {
  InputAhead batches(session.inputThread(), *source, session.image().train.input, at.step + 1,
                     options.steps.value_or(0));
  while (!stopped && !stepsDone()) {
    Result<PreparedBatch *> next = batches.next();
    if (!next)
      return next.status();
    const Batch *batch = (*next)->batch;
    if (!batch)
      break;
    if (batch->status.ok() && batch->globalSamples == 0)
      return noSamples();
    Status asked = startStep(session.context(), session.image().train.step, **next);
    logSettled();
    if (!asked)
      return asked;
    ++at.step;
    at.epoch = (*next)->after.epoch, at.position = (*next)->after.batch;
    if (Status s = afterStep(*batch); !s)
      return s;
  }
  return {};
}

bool Trainer::rests() const {
  return (options.saveEvery && at.step % options.saveEvery == 0) ||
         (options.evalEvery && at.step % options.evalEvery == 0);
}

Status Trainer::afterStep(const Batch &batch) {
  unlogged = StepRecord{at.step, batch.epoch, batch.batchIndex, batch.globalSamples, 0, 0};
  if (rests())
    if (Status s = session.context().settle(); !s)
      return s;
  logSettled();
  if (options.saveEvery && at.step % options.saveEvery == 0)
    if (Status s = save(); !s)
      return s;
  if (options.evalEvery && at.step % options.evalEvery == 0)
    if (Status s = evaluateNow(); !s)
      return s;
  Result<bool> stop = stopPoll.afterStep(Interrupt::requested());
  if (!stop)
    return stop.status();
  stopped = *stop;
  return {};
}

void Trainer::logSettled() {
  const Context &context = session.context();
  if (!unlogged || context.settled() != unlogged->step)
    return;
  StepRecord record = *unlogged;
  unlogged.reset();
  record.loss = context.hasLoss() ? context.loss() : std::numeric_limits<float>::quiet_NaN();
  samples += record.samples;
  samplesSinceLog += record.samples;
  if (session.first())
    log(record);
}

void Trainer::log(StepRecord record) {
  progress.step(record);
  if (record.step % options.logEvery)
    return;
  double seconds = secondsSince(logged);
  record.samplesPerSecond = seconds > 0 ? double(samplesSinceLog) / seconds : 0;
  logged = std::chrono::steady_clock::now();
  samplesSinceLog = 0;
  // A log that cannot be written is not worth the training: it is told once, and the run goes on.
  if (Status s = stepLog.write(record); !s) {
    progress.finish();
    fmt::print(stderr, "warning: {}; logging ends\n", s.message());
    stepLog = {};
  }
}

Status Trainer::save() {
  if (options.save.empty() || savedStep == at.step)
    return {};
  if (Status s = session.save(options.save, at); !s)
    return s;
  savedStep = at.step;
  progress.say(fmt::format("saved step {} to `{}`", at.step, options.save));
  return {};
}

Status Trainer::evaluateNow() {
  if (!evalSource || evaluatedStep == at.step)
    return {};
  if (Status s = agreeStatus(session.world(), evalSource->seek({0, 0})); !s)
    return s;
  auto result = evaluate(session, *evalSource);
  if (!result)
    return result.status();
  evaluatedStep = at.step;
  if (!session.first())
    return {};
  evaluated = std::move(*result);
  progress.say(evaluationText(session.program(), *evaluated));
  if (!evaluated->empty() && !(*evaluated)[0].oneClass && (*evaluated)[0].loss == "bce")
    progress.setAuc((*evaluated)[0].auc);
  return {};
}

Status Trainer::finish() {
  progress.finish();
  double seconds = secondsSince(started);
  if (stopped)
    progress.say(fmt::format("stopped after step {}, as asked", at.step));
  if (source) {
    progress.say(fmt::format("trained {} steps, {} samples in {} ({} samples/s)", at.step - firstStep, samples,
                             shortTime(seconds), shortNumber(seconds > 0 ? double(samples) / seconds : 0)));
    auto lines = dataReport(session, *source);
    if (!lines)
      return lines.status();
    for (const std::string &line : *lines)
      progress.say(line);
  }
  if (Status s = save(); !s)
    return s;
  return stopped ? Status() : evaluateNow();
}

} // namespace sparsec::cli
