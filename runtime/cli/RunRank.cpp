#include "cli/RunRank.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/Bench.h"
#include "cli/DataReport.h"
#include "cli/Evaluator.h"
#include "cli/OutputFile.h"
#include "cli/Predictor.h"
#include "cli/Trainer.h"
#include <fmt/format.h>
#include <unistd.h>

namespace sparsec::cli {

namespace {

constexpr int interruptedCode = 130; // what shells say of a program ended by SIGINT

Result<int> train(Session &session, const Options &options, uint64_t seed) {
  Trainer trainer(session, options, seed);
  if (Status s = trainer.run(); !s)
    return s;
  if (trainer.evaluation())
    fmt::print("{}\n", evaluationJson(session.program(), *trainer.evaluation()));
  return trainer.interrupted() ? interruptedCode : 0;
}

/// The files, after the checkpoint: for eval and predict.
Result<std::unique_ptr<BatchSource>> loadAndOpen(Session &session, const Options &options, ReaderOptions reader) {
  if (Status s = session.compareFiles(options.data); !s)
    return s;
  if (auto state = session.load(options.load); !state)
    return state.status();
  reader.threads = session.readerThreads();
  auto source = openReader(session.program(), options.data, reader);
  if (Status s = agreeStatus(session.world(), source.status()); !s)
    return s;
  return source;
}

/// What the data looked like, told by rank 0.
Status tellOfData(Session &session, const Options &options, const BatchSource &source) {
  auto lines = dataReport(session, source);
  if (!lines)
    return lines.status();
  if (session.first() && !options.quiet)
    for (const std::string &line : *lines)
      fmt::print(stderr, "{}\n", line);
  return {};
}

Result<int> eval(Session &session, const Options &options) {
  auto source = loadAndOpen(session, options, ReaderOptions::evaluate(session.program(), session.world().rank()));
  if (!source)
    return source.status();
  auto evaluation = evaluate(session, **source);
  if (!evaluation)
    return evaluation.status();
  if (Status s = tellOfData(session, options, **source); !s)
    return s;
  if (!session.first())
    return 0;
  if (!options.quiet)
    fmt::print(stderr, "{}\n", evaluationText(session.program(), *evaluation));
  fmt::print("{}\n", evaluationJson(session.program(), *evaluation));
  return 0;
}

Result<int> predictions(Session &session, const Options &options) {
  std::vector<std::string> inputs = options.data;
  inputs.push_back(options.load);
  if (Status s = agreeStatus(session.world(), refuseToOverwrite(options.output, inputs)); !s)
    return s;
  auto source = loadAndOpen(session, options, ReaderOptions::predict(session.program(), session.world().rank()));
  if (!source)
    return source.status();
  auto samples = predict(session, **source, options.output);
  if (!samples)
    return samples.status();
  if (Status s = tellOfData(session, options, **source); !s)
    return s;
  if (session.first() && !options.quiet && !options.output.empty())
    fmt::print(stderr, "wrote {} predictions to `{}`\n", *samples, options.output);
  return 0;
}

Result<int> measure(Session &session, const Options &options) {
  auto result = bench(session, options);
  if (!result)
    return result.status();
  if (session.first())
    fmt::print("{}{}", options.json ? benchJson(session, *result) : benchText(session, *result),
               options.json ? "\n" : "");
  return 0;
}

} // namespace

Result<int> runRank(const Options &options, const SparsecProgramImage &image, const Program &program,
                    Communicator &world, int threads) {
  SessionOptions setup;
  setup.threads = threads;
  setup.seed = options.seed.value_or(program.seed);
  setup.states = options.command == Command::train || (options.command == Command::bench && image.train.step);
  auto session = Session::create(image, program, world, setup);
  if (!session)
    return session.status();
  switch (options.command) {
  case Command::train:
    return train(**session, options, setup.seed);
  case Command::eval:
    return eval(**session, options);
  case Command::predict:
    return predictions(**session, options);
  case Command::bench:
    return measure(**session, options);
  case Command::info:
    break;
  }
  return Status::error("info runs on no rank");
}

} // namespace sparsec::cli
