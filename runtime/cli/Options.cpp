#include "cli/Options.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
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

void addData(CLI::App *command, Options &o) {
  command->add_option("--data", o.data, "files, read in this order")->required()->type_name("FILE");
}

void addLoad(CLI::App *command, Options &o, bool required) {
  command->add_option("--load", o.load, "checkpoint to start from")->required(required)->type_name("DIR");
}

/// What every command that runs the model takes.
void addRun(CLI::App *command, Options &o) {
  command->add_option("--threads", o.threads, "threads of each rank (default: the machine's, shared by its ranks)")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--in-process", o.inProcess, "run all ranks as threads of this process, without MPI");
  command->add_flag("--quiet", o.quiet, "print errors and results alone");
}

void addTrain(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("train", "train on files; the last line on stdout is the last evaluation");
  addData(c, o);
  c->add_option("--eval-data", o.evalData, "files to evaluate on, at the end and with --eval-every")->type_name("FILE");
  c->add_option("--epochs", o.epochs, "stop after so many epochs")->check(CLI::NonNegativeNumber);
  c->add_option("--steps", o.steps, "stop after so many steps, going round the epochs as often as needed")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--save", o.save, "write a checkpoint here at the end")->type_name("DIR");
  addLoad(c, o, false);
  c->add_option("--seed", o.seed, "of initial values and shuffling (default: the model's)");
  c->add_option("--log", o.log, "write a JSON object for each logged step")->type_name("FILE");
  c->add_option("--log-every", o.logEvery, "steps between two logged ones")->check(CLI::PositiveNumber);
  c->add_option("--save-every", o.saveEvery, "also save each time so many steps are done")->check(CLI::PositiveNumber);
  c->add_option("--eval-every", o.evalEvery, "also evaluate each time so many steps are done")
      ->check(CLI::PositiveNumber);
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
  c->add_option("-o,--output", o.output, "where to (default: stdout)")->type_name("FILE");
  addRun(c, o);
}

void addBench(CLI::App &app, Options &o) {
  CLI::App *c = app.add_subcommand("bench", "time training steps on made-up samples");
  c->add_option("--steps", o.steps, "measured steps (default: 100)")->check(CLI::PositiveNumber);
  c->add_option("--zipf", o.zipf, "exponent of the id frequencies; 0: uniform")->check(CLI::NonNegativeNumber);
  c->add_option("--bag-length", o.bagLength, "mean ids of a bag, for features with several ids a sample")
      ->check(CLI::NonNegativeNumber);
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
    parsed.exitCode = code == 0 ? 0 : usageError;
    parsed.text = help.str() + complaint.str();
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
