#include "tools/sparsec/Driver.h"
#include "dialect/Comm/Comm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "passes/Import/Description/Model.h"
#include "passes/Import/Import.h"
#include "passes/Pipelines.h"
#include "tools/sparsec/Options.h"
#include "tools/sparsec/PrintDiagnostics.h"

using namespace sparsec;
using namespace sparsec::driver;

namespace {

/// A complaint that belongs to no place in a description.
int fail(const llvm::Twine &text, const llvm::Twine &note = "") {
  llvm::errs() << "sparsec: error: " << text << "\n";
  if (!note.isTriviallyEmpty())
    llvm::errs() << "sparsec: note: " << note << "\n";
  return 1;
}

/// Prints on stdout; a full disk is an error, not an abort at exit.
template <typename Print> int output(Print print) {
  print(llvm::outs());
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return 0;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return fail("cannot write the result: " + reason);
}

int printStages() {
  return output([](llvm::raw_ostream &out) {
    auto line = [&](llvm::StringRef name, llvm::StringRef summary) { out << llvm::formatv("{0,-16}{1}\n", name, summary); };
    line("model", "the description with every block split, every pattern expanded, every default written out");
    for (const Stage &stage : stages())
      line(stage.name, stage.summary);
  });
}

int printCluster(const std::string &name) {
  auto text = description::builtinCluster(name);
  if (!text)
    return fail("no built-in cluster `" + name + "`", "expected " + llvm::join(description::builtinClusters(), ", "));
  return output([&](llvm::raw_ostream &out) { out << *text; });
}

/// Runs the stages on a sound model and prints the module.
int emitStage(const description::Loaded &loaded, llvm::StringRef stage) {
  mlir::MLIRContext context;
  context.loadDialect<rec::RecDialect, comm::CommDialect>();
  context.printOpOnDiagnostic(false);
  PrintDiagnostics handler(context);
  auto module = importModel(context, loaded);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  if (mlir::failed(buildPipelineUpTo(passes, stage)) || mlir::failed(passes.run(*module)))
    return 1;
  return output([&](llvm::raw_ostream &out) { module->print(out); });
}

} // namespace

std::vector<std::string> driver::emittable() {
  std::vector<std::string> names = {"model"};
  for (const Stage &stage : stages())
    names.push_back(stage.name.str());
  return names;
}

int driver::run(const Options &options) {
  if (options.printStages)
    return printStages();
  if (!options.printCluster.empty())
    return printCluster(options.printCluster);
  if (options.models.empty())
    return fail("expected a description", "write `sparsec MODEL --emit=STAGE`; --help says more");
  std::string known = llvm::join(emittable(), ", ");
  if (options.emit.empty())
    return fail("nothing to do", "add --emit=STAGE with one of " + known);
  if (!llvm::is_contained(emittable(), options.emit))
    return fail("no stage `" + options.emit + "`", "expected " + known);

  description::Diagnostics diagnostics;
  auto loaded = description::loadModel(options.models, diagnostics);
  bool sound = loaded && (options.emit == "model" || description::checkSupported(*loaded, diagnostics));
  llvm::errs() << diagnostics.str();
  if (!sound)
    return 1;
  if (options.emit == "model")
    return output([&](llvm::raw_ostream &out) { out << description::emitModel(*loaded); });
  return emitStage(*loaded, options.emit);
}
