// Kernels to PTX, by LLVM's code generator. Nothing is contracted or reassociated: numbers are those of the host.
#include "codegen/GPU/Images.h"
#include "codegen/GPU/LowerKernels.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace {
struct Architecture {
  int number;
  const char *features; // the oldest PTX that knows it, but 8.0 at least
};
constexpr Architecture architectures[] = {{80, "+ptx80"}, {86, "+ptx80"},  {89, "+ptx80"},
                                          {90, "+ptx80"}, {100, "+ptx86"}, {120, "+ptx87"}};
constexpr int numbers[] = {80, 86, 89, 90, 100, 120};
} // namespace

llvm::ArrayRef<int> device::knownArchitectures() { return numbers; }

void device::registerDeviceTranslations(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>> makeMachine(gpu::GPUModuleOp kernels, int arch) {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  auto *known = llvm::find_if(architectures, [&](const Architecture &a) { return a.number == arch; });
  if (known == std::end(architectures))
    return kernels.emitError("unknown architecture `sm_") << arch << "`; expected one of 80, 86, 89, 90, 100, 120";
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return kernels.emitError("no code generator for `") << triple.str() << "`: " << error;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "sm_" + std::to_string(arch), known->features, options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false; // kernels say themselves how much is in flight; more costs registers
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

FailureOr<std::string> device::emitPtx(gpu::GPUModuleOp kernels, int arch) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine = makeMachine(kernels, arch);
  if (failed(machine))
    return failure();
  OwningOpRef<ModuleOp> around(ModuleOp::create(kernels.getLoc()));
  auto copy = cast<gpu::GPUModuleOp>(kernels->clone());
  around->push_back(copy);
  if (failed(lowerKernels(*around)))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(copy, context, "kernels");
  if (!module)
    return kernels.emitError("translation of the kernels to LLVM IR failed");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return kernels.emitError("kernels call `") << StringRef(function.getName()) << "`, which the device has not";
  optimize(*module, **machine);
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return kernels.emitError("the code generator cannot emit PTX");
  passes.run(*module);
  return std::string(text.data(), text.size());
}
