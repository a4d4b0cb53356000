// LLVM dialect to LLVM IR, optimised for one kind of CPU, to text, assembly or object.
#include "codegen/Emit/Compile.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sparsec/abi.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

void codegen::registerEmitTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
struct Translated {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

static LogicalResult makeMachine(ModuleOp module, const EmitOptions &options, Translated &result) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error, cpu = options.cpu, features;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError("no code generator for `") << triple.str() << "`: " << error;
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName();
    for (auto &[name, on] : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(on ? "+" : "-") + name.str();
  }
  // Asked of a subtarget without a CPU, since one with an unknown CPU prints.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(cpu))
    return module.emitError("unknown CPU `") << cpu << "`; `native`, `x86-64-v3` and `x86-64-v4` are known";
  auto level = options.optimization == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  result.machine.reset(target->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_, std::nullopt, level));
  return success();
}

/// The constant `sparsec_program`, which says what the executable is; everything else becomes internal to the object.
static void addProgramImage(ModuleOp source, llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  auto text = source->getAttrOfType<StringAttr>(programAttr);
  if (!text)
    return;
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *bytes = llvm::ConstantDataArray::getString(context, text.getValue());
  auto *description = new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes,
                                               "sparsec_description");
  auto entry = [&](StringRef name) -> llvm::Constant * {
    llvm::Function *function = module.getFunction(name);
    return function && !function->isDeclaration() ? static_cast<llvm::Constant *>(function)
                                                  : llvm::ConstantPointerNull::get(pointer);
  };
  // Of a device: what its target has left in the module.
  auto constant = [&](StringRef name) -> llvm::GlobalVariable * { return module.getGlobalVariable(name, true); };
  auto address = [&](llvm::Constant *of) { return of ? of : llvm::ConstantPointerNull::get(pointer); };
  llvm::Constant *backend = nullptr;
  if (auto name = source->getAttrOfType<StringAttr>(backendAttr))
    backend = cast<llvm::Constant>(
        module
            .getOrInsertFunction(name.getValue(),
                                 llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer}, false))
            .getCallee());
  llvm::GlobalVariable *images = constant(imagesGlobal);
  uint64_t imageCount = images ? cast<llvm::ArrayType>(images->getValueType())->getNumElements() : 0;
  llvm::Constant *fields[] = {llvm::ConstantInt::get(i64, SPARSEC_ABI),
                              description,
                              llvm::ConstantInt::get(i64, text.getValue().size()),
                              entry(rec::inputEntryName("train")),
                              entry("train"),
                              entry(rec::inputEntryName("eval")),
                              entry("eval"),
                              entry(rec::inputEntryName("predict")),
                              entry("predict"),
                              address(backend),
                              address(constant(kernelsGlobal)),
                              address(images),
                              llvm::ConstantInt::get(i64, imageCount)};
  auto *image = llvm::ConstantStruct::getAnon(context, fields);
  new llvm::GlobalVariable(module, image->getType(), true, llvm::GlobalValue::ExternalLinkage, image,
                           "sparsec_program");
}

static void setTarget(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("frame-pointer", "non-leaf");
    function.setDoesNotThrow();
  }
}

static void optimize(Translated &t, unsigned level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = level > 1;
  // Kernels say their vectors themselves; unrolling the rest and searching it for more doubles the time of compiling.
  tuning.SLPVectorization = tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = level > 1;
  llvm::PassBuilder builder(t.machine.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel chosen = levels[std::min(level, 3u)];
  auto passes = level == 0 ? builder.buildO0DefaultPipeline(chosen) : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(*t.module, modules);
}

static LogicalResult translate(ModuleOp module, const EmitOptions &options, Translated &result) {
  if (failed(makeMachine(module, options, result)))
    return failure();
  result.module = translateModuleToLLVMIR(module, result.context, "sparsec");
  if (!result.module)
    return module.emitError("translation to LLVM IR failed");
  addProgramImage(module, *result.module);
  setTarget(*result.module, *result.machine);
  optimize(result, options.optimization);
  return success();
}

LogicalResult sparsec::codegen::emitText(ModuleOp module, const EmitOptions &options, OutputKind kind,
                                         llvm::raw_ostream &out) {
  Translated t;
  if (failed(translate(module, options, t)))
    return failure();
  if (kind == OutputKind::llvmText) {
    t.module->print(out, nullptr);
    return success();
  }
  SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  auto type = kind == OutputKind::assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (t.machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return module.emitError("the target cannot emit this kind of file");
  passes.run(*t.module);
  out << stream.str();
  return success();
}
