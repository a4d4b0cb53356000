#include "tools/sparsec/Driver.h"
#include "passes/Import/Description/Model.h"
#include "passes/Pipelines.h"
#include "tools/sparsec/Compile.h"
#include "tools/sparsec/Options.h"
#include "tools/sparsec/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sparsec;
using namespace sparsec::driver;

namespace {

int printStages() {
  return writeOutput("", [](llvm::raw_ostream &out) {
    auto line = [&](llvm::StringRef name, llvm::StringRef summary) {
      out << llvm::formatv("{0,-16}{1}\n", name, summary);
    };
    line("model", "the description with every block split, every pattern expanded, every default written out");
    for (const Stage &stage : stages())
      line(stage.name == "plan" ? "plan, plan-ir" : stage.name, stage.summary);
    line("codegen", "runtime calls, kernels and loops, in LLVM dialect");
    line("llvm", "the same as LLVM IR, optimised");
    line("asm, obj", "assembly, and the object that is linked");
  });
}

int printCluster(const std::string &name) {
  auto text = description::builtinCluster(name);
  if (!text)
    return fail("no built-in cluster `" + name + "`", "expected " + llvm::join(description::builtinClusters(), ", "));
  return writeOutput("", [&](llvm::raw_ostream &out) { out << *text; });
}

} // namespace

std::vector<std::string> driver::emittable() {
  std::vector<std::string> names = {"model"};
  for (const Stage &stage : stages())
    names.push_back(stage.name.str());
  for (llvm::StringRef name : generatedKinds())
    names.push_back(name.str());
  return names;
}

int driver::run(const Options &options) {
  if (options.printStages)
    return printStages();
  if (!options.printCluster.empty())
    return printCluster(options.printCluster);
  if (options.models.empty())
    return fail("expected a description", "write `sparsec MODEL -o OUT`; --help says more");
  std::string known = llvm::join(emittable(), ", ");
  if (!options.emit.empty() && !llvm::is_contained(emittable(), options.emit))
    return fail("no stage `" + options.emit + "`", "expected " + known);
  if (options.emit.empty() && options.output.empty())
    return fail("nothing to do", "add -o FILE for an executable, or --emit=STAGE with one of " + known);

  description::Diagnostics diagnostics;
  auto loaded = description::loadModel(options.models, diagnostics);
  bool sound = loaded && (options.emit == "model" || description::checkSupported(*loaded, diagnostics));
  Inputs inputs;
  if (sound && options.emit != "model")
    sound = loadInputs(options, *loaded, inputs, diagnostics);
  llvm::errs() << diagnostics.str();
  if (!sound)
    return 1;
  if (options.emit == "model")
    return writeOutput(options.output, [&](llvm::raw_ostream &out) { out << description::emitModel(*loaded); });
  return compile(options, *loaded, inputs);
}
