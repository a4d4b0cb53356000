#include "tools/sparsec/Options.h"
#include "codegen/Targets.h"
#include "dialect/Rec/Cluster.h"
#include "passes/Import/Description/Model.h"
#include "tools/sparsec/Driver.h"
#include "tools/sparsec/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <CLI/CLI.hpp>

using namespace sparsec;

std::optional<int> driver::parseOptions(int argc, const char *const *argv, Options &options) {
  CLI::App app("Compiles the description of a recommendation model to one executable that trains, evaluates and\n"
               "predicts.\n\n"
               "  sparsec model.textproto -o model && ./model train --data train.tsv --save checkpoint\n"
               "  sparsec model.textproto -o model --ranks=4 --groups=2 && mpirun -np 4 ./model train ...\n"
               "  sparsec model.textproto --ranks=64 --cluster=dgx-h100 --emit=plan\n"
               "  sparsec tune model.textproto --target=cuda -o tuner && ./tuner -o schedules.textproto\n"
               "  sparsec model.textproto --target=cuda --schedules=schedules.textproto -o model\n",
               "sparsec");
  app.add_option("MODEL", options.models, "Description files, Protobuf text (or binary: .binpb, .pb), read as one");
  app.add_option("-o,--output", options.output, "The executable; with --emit, a file in place of stdout")
      ->type_name("FILE");
  app.add_option("--ranks", options.ranks, "Ranks to plan for; default: 1, or all of the cluster")
      ->check(CLI::Range(int64_t(1), rec::mostRanks));
  app.add_option("--groups", options.groups,
                 "Groups of ranks, each with a copy of every table (two-dimensional parallelism); default: planned")
      ->check(CLI::Range(int64_t(1), rec::mostRanks));
  app.add_option("--cluster", options.cluster,
                 "A cluster file, or one of " + llvm::join(description::builtinClusters(), ", "))
      ->type_name("FILE|NAME");
  app.add_option("--plan", options.plan, "A plan file: what stands in it is an order")->type_name("FILE");
  app.add_option("--target", options.target, "What runs the steps: " + llvm::join(codegen::targetNames(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--arch", options.architectures,
                 "Architectures of GPUs to make code for; default: sm_80,sm_90,sm_100, and PTX for what comes later")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--matmul", options.matmul,
                 "Products of matrices: fp32 (default), or on GPUs, faster and less exact, tf32 or bf16")
      ->type_name("NAME");
  app.add_option("--schedules", options.schedules,
                 "Schedules of lookups as a tuner measured them on a GPU; default: by a cost model")
      ->type_name("FILE");
  app.add_option("--cpu", options.cpu, "Instructions the executable may use: native, x86-64-v3, x86-64-v4, ...")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--emit", options.emit, "Stop there and print: " + llvm::join(emittable(), ", "))->type_name("STAGE");
  std::vector<CLI::Option *> compiling = app.get_options(
      [](const CLI::Option *option) { return option->get_name() != "--help" && option->get_name() != "--output"; });
  auto *printCluster =
      app.add_option("--print-cluster", options.printCluster,
                     "Print a built-in cluster, to be edited: " + llvm::join(description::builtinClusters(), ", "))
          ->type_name("NAME");
  auto *tune = app.add_subcommand(
      "tune", "Make a program that measures the schedules of the model's lookups on a GPU, for --schedules");
  tune->fallthrough();
  auto *printStages =
      app.add_flag("--print-stages", options.printStages, "Print the stages in order, and what each is for");
  app.set_version_flag("--version", "sparsec " SPARSEC_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  auto empty = [](const llvm::Twine &option) {
    return fail("expected a value for " + option + ", but got an empty text");
  };
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc)) // CLI11 would take the next argument for the value
    if (argument.starts_with("--") && argument.ends_with("="))
      return empty(argument.drop_back());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 1 : 0;
  }
  options.tune = tune->parsed();
  for (const CLI::Option *option : app.get_options())
    if (llvm::is_contained(option->results(), ""))
      return empty(option->get_name());
  for (const CLI::Option *print : {printCluster, printStages})
    for (const CLI::Option *option : compiling)
      if (print->count() && option->count())
        return fail(print->get_name() + " compiles nothing, so " + option->get_name() + " does not go with it",
                    "drop one of the two");
  return std::nullopt;
}
