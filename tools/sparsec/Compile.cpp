#include "tools/sparsec/Compile.h"
#include "codegen/Emit/Compile.h"
#include "codegen/GPU/Roofline.h"
#include "codegen/GPU/Tuner.h"
#include "codegen/Targets.h"
#include "dialect/Comm/Comm.h"
#include "passes/Import/Import.h"
#include "passes/Pipelines.h"
#include "passes/Plan/Orders.h"
#include "tools/sparsec/Output.h"
#include "tools/sparsec/PrintDiagnostics.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::driver;

static constexpr llvm::StringLiteral presetCluster = "generic-80gb";

bool driver::loadInputs(const Options &options, const description::Loaded &model, Inputs &inputs,
                        description::Diagnostics &diagnostics) {
  if (!options.cluster.empty() || options.ranks > 1) {
    inputs.cluster =
        description::loadCluster(options.cluster.empty() ? presetCluster.str() : options.cluster, diagnostics);
    if (!inputs.cluster)
      return false;
    if (options.cluster.empty())
      llvm::errs() << "sparsec: remark: planned for " << options.ranks << " devices of `" << presetCluster
                   << "`; --cluster=FILE names others\n";
  } else {
    description::Diagnostics unneeded; // only advice is lost
    inputs.machines = description::loadCluster(presetCluster.str(), unneeded);
  }
  if (!options.plan.empty()) {
    inputs.plan = description::loadPlan(options.plan, model, diagnostics);
    return inputs.plan.has_value();
  }
  return true;
}

llvm::ArrayRef<llvm::StringRef> driver::generatedKinds() {
  static const llvm::StringRef kinds[] = {"plan-ir", "roofline", "codegen", "llvm", "asm", "obj"};
  return kinds;
}

namespace {

/// The imported module with what the other files and flags say about it.
OwningOpRef<ModuleOp> importAll(MLIRContext &context, const Options &options, const description::Loaded &model,
                                const Inputs &inputs) {
  auto module = importModel(context, model);
  if (!module)
    return {};
  if (inputs.cluster && failed(attachCluster(*module, *inputs.cluster, options.ranks)))
    return {};
  if (inputs.machines)
    attachMachines(*module, *inputs.machines);
  if (inputs.plan && failed(attachPlan(*module, *inputs.plan, model)))
    return {};
  if (options.groups && failed(attachGroups(*module, options.groups)))
    return {};
  return module;
}

LogicalResult runStages(ModuleOp module, StringRef last) {
  PassManager passes(module.getContext());
  if (failed(buildPipelineUpTo(passes, last)))
    return failure();
  return passes.run(module);
}

int estimate(ModuleOp module, const Options &options, const Inputs &inputs, const codegen::Target &target) {
  if (inputs.machines)
    attachMachines(module, *inputs.machines);
  rec::Cluster gpu = inputs.machines ? rec::readMachines(module) : rec::readCluster(module);
  auto rooflines = codegen::makeRooflines(module, target, gpu);
  if (failed(rooflines))
    return 1;
  return writeOutput(options.output, [&](llvm::raw_ostream &out) {
    for (const codegen::Roofline &roofline : *rooflines) {
      out << (&roofline == &rooflines->front() ? "" : "\n");
      codegen::printRoofline(roofline, gpu, out);
    }
  });
}

int generate(ModuleOp module, const Options &options, const codegen::Target &target) {
  codegen::CompileOptions compile;
  compile.target = &target;
  compile.emit.cpu = options.cpu;
  compile.compiler = "sparsec " SPARSEC_VERSION;
  compile.plan = emitPlan(module);
  if (options.emit == "codegen") {
    if (failed(codegen::lowerProgram(module, compile)))
      return 1;
    return writeOutput(options.output, [&](llvm::raw_ostream &out) { module->print(out); });
  }
  compile.kind = llvm::StringSwitch<codegen::OutputKind>(options.emit)
                     .Case("llvm", codegen::OutputKind::llvmText)
                     .Case("asm", codegen::OutputKind::assembly)
                     .Case("obj", codegen::OutputKind::object)
                     .Default(codegen::OutputKind::executable);
  std::string path = options.output.empty() ? "-" : options.output;
  return failed(codegen::compileProgram(module, compile, path)) ? 1 : 0;
}

/// The program that measures schedules.
int makeTuner(ModuleOp module, const Options &options, const codegen::Target &target) {
  codegen::CompileOptions compile;
  compile.target = &target;
  compile.emit.cpu = options.cpu;
  compile.link.main = codegen::tunerMain;
  auto tuner = codegen::makeTuner(module, target, "sparsec " SPARSEC_VERSION);
  if (!tuner)
    return 1;
  PassManager passes(module.getContext());
  codegen::buildKernelsPipeline(passes, target);
  return failed(passes.run(*tuner)) || failed(codegen::emitProgram(*tuner, compile, options.output)) ? 1 : 0;
}

} // namespace

int driver::compile(const Options &options, const description::Loaded &model, const Inputs &inputs,
                    const codegen::Target &target) {
  DialectRegistry dialects;
  dialects.insert<rec::RecDialect, comm::CommDialect>();
  codegen::registerCodegenDialects(dialects);
  codegen::registerEmitTranslations(dialects);
  codegen::registerTargetDialects(dialects);
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  PrintDiagnostics handler(context);

  auto module = importAll(context, options, model, inputs);
  if (!module)
    return 1;
  bool stops = llvm::any_of(stages(), [&](const Stage &stage) { return stage.name == options.emit; });
  StringRef last = options.emit == "plan-ir" ? "plan" : stops ? StringRef(options.emit) : stages().back().name;
  if (failed(runStages(*module, last)))
    return 1;
  if (options.emit == "plan")
    return writeOutput(options.output, [&](llvm::raw_ostream &out) { out << emitPlan(*module); });
  if (stops || options.emit == "plan-ir")
    return writeOutput(options.output, [&](llvm::raw_ostream &out) { module->print(out); });
  if (options.emit == "roofline")
    return estimate(*module, options, inputs, target);
  return options.tune ? makeTuner(*module, options, target) : generate(*module, options, target);
}
