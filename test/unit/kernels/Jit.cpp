#include "test/unit/kernels/Jit.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace sparsec::codegen;

DialectRegistry sparsec::codegen::kernelDialects() {
  DialectRegistry registry;
  registry.insert<sparsec::rec::RecDialect, arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

static void check(bool good, const char *what) {
  if (!good)
    throw std::runtime_error(what);
}
template <typename T> static T take(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

void sparsec::codegen::lowerKernels(ModuleOp module) {
  check(succeeded(mlir::verify(module)), "the kernels do not verify");
  PassManager passes(module.getContext());
  passes.addPass(createCSEPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  check(succeeded(passes.run(module)), "the kernels do not lower");
  if (const char *file = std::getenv("SPARSEC_DUMP_KERNELS")) {
    std::error_code error;
    llvm::raw_fd_ostream out(file, error);
    out << module;
  }
}

Jit::Jit(ModuleOp module, const std::vector<std::pair<std::string, void *>> &symbols) {
  lowerKernels(module);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = take(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = take(builder.createTargetMachine());
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto code = translateModuleToLLVMIR(module, *llvmContext);
  check(bool(code), "the kernels do not translate");
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  optimize(*code, *machine);
  jit = take(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  jit->getMainJITDylib().addGenerator(
      take(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix())));
  llvm::orc::SymbolMap known;
  for (auto &[name, address] : symbols)
    known[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  check(!bool(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(known)))), "symbols are taken");
  check(!bool(jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext)))),
        "the kernels cannot be loaded");
}

Jit::~Jit() = default;

void *Jit::address(const std::string &name) const { return take(jit->lookup(name)).toPtr<void *>(); }
