#include "tools/sparsec/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "passes/Import/Description/Model.h"
#include "tools/sparsec/Driver.h"
#include <CLI/CLI.hpp>

using namespace sparsec;

std::optional<int> driver::parseOptions(int argc, const char *const *argv, Options &options) {
  CLI::App app("Compiles the description of a recommendation model.\n"
               "Example: sparsec features.textproto model.textproto --emit=import\n",
               "sparsec");
  app.add_option("MODEL", options.models, "Description files, Protobuf text (or binary: .binpb, .pb), read as one");
  app.add_option("--emit", options.emit, "Print the result of a stage on stdout: " + llvm::join(emittable(), ", "))
      ->type_name("STAGE");
  app.add_option("--print-cluster", options.printCluster,
                 "Print a built-in cluster, to be edited: " + llvm::join(description::builtinClusters(), ", "))
      ->type_name("NAME");
  app.add_flag("--print-stages", options.printStages, "Print the stages in order, and what each is for");
  app.set_version_flag("--version", "sparsec " SPARSEC_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 1 : 0;
  }
  return std::nullopt;
}
