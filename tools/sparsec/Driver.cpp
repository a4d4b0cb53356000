#include "tools/sparsec/Driver.h"
#include "codegen/Targets.h"
#include "passes/Import/Description/Model.h"
#include "passes/Pipelines.h"
#include "tools/sparsec/Compile.h"
#include "tools/sparsec/Machines.h"
#include "tools/sparsec/Options.h"
#include "tools/sparsec/Output.h"
#include "tools/sparsec/Schedules.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace sparsec;
using namespace sparsec::driver;

namespace {

int printStages(const Options &options) {
  return writeOutput(options.output, [](llvm::raw_ostream &out) {
    auto line = [&](llvm::StringRef name, llvm::StringRef summary) {
      out << llvm::formatv("{0,-16}{1}\n", name, summary);
    };
    line("model", "the description with every block split, every pattern expanded, every default written out");
    for (const Stage &stage : stages())
      line(stage.name == "plan" ? "plan, plan-ir" : stage.name, stage.summary);
    line("roofline", "launches, bytes, flops and expected times of the steps on a GPU of the cluster");
    line("codegen", "runtime calls, kernels and loops, in LLVM dialect");
    line("llvm", "the same as LLVM IR, optimised");
    line("asm, obj", "assembly, and the object that is linked");
  });
}

int printCluster(const Options &options) {
  const std::string &name = options.printCluster;
  auto text = description::builtinCluster(name);
  if (!text)
    return fail("no built-in cluster `" + name + "`", "expected " + llvm::join(description::builtinClusters(), ", "));
  return writeOutput(options.output, [&](llvm::raw_ostream &out) { out << *text; });
}

/// The files that the command line names.
std::vector<Input> namedFiles(const Options &options) {
  std::vector<Input> files;
  for (const std::string &model : options.models)
    files.push_back({model, "description"});
  files.push_back({options.plan, "plan"});
  files.push_back({options.cluster, "cluster"});
  files.push_back({options.schedules, "file of schedules"});
  return files;
}

/// The files that the description names.
std::vector<Input> vocabularies(const description::Loaded &loaded) {
  std::vector<Input> files;
  for (int i = 0; i < loaded.model.feature_size(); ++i)
    if (const auto &vocabulary = loaded.model.feature(i).vocabulary(); vocabulary.has_file()) {
      auto place = loaded.places->child("feature", i).child("vocabulary").value("file");
      llvm::SmallString<128> path(llvm::sys::path::parent_path(llvm::StringRef(place.fileName())));
      llvm::sys::path::append(path, vocabulary.file());
      files.push_back(
          {llvm::sys::path::is_absolute(vocabulary.file()) ? vocabulary.file() : path.str().str(), "vocabulary"});
    }
  return files;
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
    return printStages(options);
  if (!options.printCluster.empty())
    return printCluster(options);
  if (options.tune && !options.emit.empty())
    return fail("`sparsec tune` makes an executable, so --emit does not go with it", "drop one of the two");
  if (options.models.empty())
    return fail("expected a description", "write `sparsec MODEL -o OUT`; --help says more");
  std::string known = llvm::join(emittable(), ", ");
  if (!options.emit.empty() && !llvm::is_contained(emittable(), options.emit))
    return fail("no stage `" + options.emit + "`", "expected " + known);
  if (options.emit.empty() && options.output.empty())
    return fail("nothing to do", "add -o FILE for an executable, or --emit=STAGE with one of " + known);
  codegen::TargetOptions asked{options.architectures, options.matmul, {}};
  auto target = codegen::makeTarget(options.target, asked);
  if (!target)
    return fail(llvm::toString(target.takeError()));
  for (auto [said, what] : {std::pair(options.emit == "roofline", "--emit=roofline"),
                            {options.tune, "sparsec tune"},
                            {!options.schedules.empty(), "--schedules"}})
    if (said && (*target)->runtimeParts().backend.empty())
      return fail("`" + llvm::Twine(what) + "` is about GPUs, but the target is `" + options.target + "`",
                  "add --target=cuda");
  if (!checkOutput(options.output, namedFiles(options), options.emit.empty()))
    return 1;

  description::Diagnostics diagnostics;
  auto loaded = description::loadModel(options.models, diagnostics);
  bool sound = loaded && (options.emit == "model" || description::checkSupported(*loaded, diagnostics));
  Inputs inputs;
  if (sound && options.emit != "model")
    sound = loadInputs(options, *loaded, inputs, diagnostics);
  if (sound && inputs.cluster)
    sound = checkMachines(*inputs.cluster, **target, diagnostics);
  if (sound && !options.schedules.empty()) {
    auto measured = description::loadSchedules(options.schedules, diagnostics);
    if (measured)
      asked.schedules = bestSchedules(*measured, **target, diagnostics);
    sound = !diagnostics.hasErrors();
  }
  llvm::errs() << diagnostics.str();
  if (!sound || !checkOutput(options.output, vocabularies(*loaded), options.emit.empty()))
    return 1;
  if (options.emit == "model")
    return writeOutput(options.output, [&](llvm::raw_ostream &out) { out << description::emitModel(*loaded); });
  target = codegen::makeTarget(options.target, asked);
  return compile(options, *loaded, inputs, **target);
}
