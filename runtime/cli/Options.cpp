#include "cli/Options.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

namespace sparsec::cli {

namespace {

constexpr std::pair<const char *, Command> commands[] = {{"train", Command::train},
                                                         {"eval", Command::eval},
                                                         {"predict", Command::predict},
                                                         {"bench", Command::bench},
                                                         {"info", Command::info}};

/// A whole number, which CLI11 would cut to what its type holds.
template <typename T> CLI::Validator wholeNumber(T first, T last = std::numeric_limits<T>::max()) {
  return CLI::Validator(
      [=](const std::string &text) {
        T value = 0;
        auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        bool fits = wrong == std::errc() && end == text.data() + text.size() && value >= first && value <= last;
        return fits ? std::string()
                    : fmt::format("expected a whole number in [{}, {}], but got `{}`", first, last, text);
      },
      "");
}

/// Not nan, either.
CLI::Validator number(double first, double last) {
  return CLI::Validator(
      [=](const std::string &text) {
        double value = 0;
        bool fits = CLI::detail::lexical_cast(text, value) && value >= first && value <= last;
        return fits ? std::string() : fmt::format("expected a number in [{}, {}], but got `{}`", first, last, text);
      },
      "");
}

/// An empty one is a variable of a script that was never set.
CLI::Validator path(const char *what) {
  return CLI::Validator([](const std::string &text) { return text.empty() ? "expected a path, but got none" : ""; },
                        what);
}

constexpr int64_t mostSteps = int64_t(1) << 53; // so that products with batch sizes fit

void addData(CLI::App *command, Options &o) {
  command->add_option("--data", o.data, "files, read in this order")->required()->check(path("FILE"));
}

void addLoad(CLI::App *command, Options &o, bool required) {
  command->add_option("--load", o.load, "checkpoint to start from")->required(required)->check(path("DIR"));
}

/// What every command that runs the model takes.
void addRun(CLI::App *command, Options &o) {
  command->add_option("--threads", o.threads, "threads of each rank (default: the machine's, shared by its ranks)")
      ->check(wholeNumber(1, 4096));
  command->add_flag("--in-process", o.inProcess, "run all ranks as threads of this process, without MPI");
  command->add_flag("--quiet", o.quiet, "print errors and results alone");
}

void addTrain(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("train", "train on files; the last line on stdout is the last evaluation");
  addData(c, o);
  c->add_option("--eval-data", o.evalData, "files to evaluate on, at the end and with --eval-every")
      ->check(path("FILE"));
  c->add_option("--epochs", o.epochs, "stop after so many epochs")->check(wholeNumber<int64_t>(0, mostSteps));
  c->add_option("--steps", o.steps, "stop after so many steps, going round the epochs as often as needed")
      ->check(wholeNumber<int64_t>(0, mostSteps));
  c->add_option("--save", o.save, "write a checkpoint here at the end")->check(path("DIR"));
  addLoad(c, o, false);
  c->add_option("--seed", o.seed, "of initial values and shuffling (default: the model's)")
      ->check(wholeNumber<uint64_t>(0));
  c->add_option("--log", o.log, "write a JSON object for each logged step")->check(path("FILE"));
  c->add_option("--log-every", o.logEvery, "steps between two logged ones")->check(wholeNumber<int64_t>(1, mostSteps));
  c->add_option("--save-every", o.saveEvery, "also save each time so many steps are done")
      ->check(wholeNumber<int64_t>(1, mostSteps));
  c->add_option("--eval-every", o.evalEvery, "also evaluate each time so many steps are done")
      ->check(wholeNumber<int64_t>(1, mostSteps));
  addRun(c, o);
}

void addEval(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("eval", "metrics of a checkpoint on files, as one line of JSON on stdout");
  addData(c, o);
  addLoad(c, o, true);
  addRun(c, o);
}

void addPredict(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("predict", "predictions as CSV: a column for each task, a row for each sample");
  addData(c, o);
  addLoad(c, o, true);
  c->add_option("-o,--output", o.output, "where to (default: stdout)")->check(path("FILE"));
  addRun(c, o);
}

void addBench(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("bench", "time training steps on made-up samples");
  c->add_option("--steps", o.steps, "measured steps (default: 100)")->check(wholeNumber<int64_t>(1, mostSteps));
  c->add_option("--zipf", o.zipf, "exponent of the id frequencies; 0: uniform")->check(number(0, 100));
  c->add_option("--bag-length", o.bagLength, "mean ids of a bag, for features with several ids a sample")
      ->check(number(0, 1e6));
  c->add_flag("--kernels", o.kernels, "time each kernel, on a GPU, in ten steps more");
  c->add_flag("--json", o.json, "one JSON object on stdout");
  addRun(c, o);
}

void addInfo(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("info", "the model, its plan, memory and hyper-parameters");
  c->add_flag("--json", o.json, "one JSON object");
}

/// CLI11 would only say that a command is missing.
std::string unknownCommand(int argc, const char *const *argv) {
  if (argc < 2 || argv[1][0] == '-')
    return {};
  std::string names;
  for (auto [name, command] : commands) {
    if (argv[1] == std::string_view(name))
      return {};
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
  }
  return fmt::format("unknown command `{}`; expected one of {}", argv[1], names);
}

/// An unknown flag comes before what is missing: it may be a misspelling of that.
std::string complaintOf(const CLI::App &app, const CLI::ParseError &e) {
  std::vector<std::string> unknown = app.remaining(true);
  std::string text = unknown.empty() ? e.what() : fmt::format("unknown argument `{}`", unknown.front());
  return text + "\nRun with --help for more information.";
}

std::string checkTogether(const Options &o) {
  if (o.saveEvery && o.save.empty())
    return "`--save-every` needs `--save`";
  if (o.evalEvery && o.evalData.empty())
    return "`--eval-every` needs `--eval-data`";
  return {};
}

} // namespace

ParsedOptions parseOptions(int argc, const char *const *argv, const Program &program) {
  constexpr int usageError = 2;
  ParsedOptions parsed;
  Options &o = parsed.options;
  CLI::App app(fmt::format("{}: a model compiled by sparsec", program.model));
  app.set_version_flag("--version", program.compiler);
  app.require_subcommand(1);
  addTrain(app, o);
  addEval(app, o);
  addPredict(app, o);
  addBench(app, o);
  addInfo(app, o);

  auto refuse = [&](const std::string &why) {
    parsed.exitCode = usageError;
    parsed.text = "error: " + why + "\n";
    return parsed;
  };
  if (std::string wrong = unknownCommand(argc, argv); !wrong.empty())
    return refuse(wrong);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    std::ostringstream help, complaint;
    int code = app.exit(e, help, complaint);
    if (code)
      return refuse(complaintOf(app, e));
    parsed.exitCode = 0;
    parsed.text = help.str();
    return parsed;
  }
  for (auto [name, command] : commands)
    if (app.got_subcommand(name))
      o.command = command;
  if (std::string wrong = checkTogether(o); !wrong.empty())
    return refuse(wrong);
  return parsed;
}

} // namespace sparsec::cli
