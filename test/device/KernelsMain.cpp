// device-kernels: the kernels of test/unit/gpu, compiled for a machine that has no compiler.
//
//   device-kernels FOLDER            FOLDER/kernels.o: records and forms for the emulator; kernels.cpp: their names
//   device-kernels --image=90 FILE   machine code for sm_90
#include "codegen/Emit/Compile.h"
#include "codegen/Emulate/Passes.h"
#include "codegen/GPU/Images.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "test/unit/gpu/BuildTested.h"
#include "test/unit/gpu/GpuRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

using Names = std::vector<std::pair<KernelSuite, std::map<std::string, std::string>>>;

/// C++ that knows each kernel's record.
static std::string table(const Names &names) {
  std::string externs, entries;
  std::map<std::string, std::string> symbols;
  for (auto &[suite, known] : names)
    for (auto &[name, kernel] : known) {
      std::string &symbol = symbols[kernel];
      if (symbol.empty()) {
        symbol = llvm::formatv("kernel{0}", symbols.size());
        externs += llvm::formatv("extern const SparsecKernel {0} __asm__(\"{1}\");\n", symbol, recordName(kernel));
      }
      entries += llvm::formatv("  {{KernelSuite({0}), \"{1}\", &{2}},\n", int(suite), name, symbol);
    }
  return "// Made by device-kernels.\n#include \"test/device/CheckedKernels.h\"\nusing namespace "
         "sparsec::codegen::device;\n" +
         externs + "static const CheckedKernel all[] = {\n" + entries +
         "};\nstd::span<const CheckedKernel> sparsec::codegen::device::checkedKernels() { return all; }\n";
}

static LogicalResult writeObject(ModuleOp module, llvm::raw_ostream &out) {
  PassManager passes(module.getContext());
  passes.addPass(createEmulateKernelsPass());
  passes.addPass(createKernelRecordsPass());
  if (failed(passes.run(module)))
    return failure();
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getSymName().starts_with(recordName("")))
      global.setLinkage(LLVM::Linkage::External);
  lowerKernels(module);
  EmitOptions options;
  options.cpu = "x86-64-v3"; // another machine will run it
  options.optimization = 1;
  return emitText(module, options, OutputKind::object, out);
}

static llvm::Error image(ModuleOp module, int architecture, StringRef file) {
  FailureOr<std::string> ptx = emitPtx(kernelModule(module), architecture);
  if (failed(ptx))
    return llvm::createStringError("there is no PTX");
  llvm::Expected<Assembly> assembly = assemblePtx(findPtxas(), *ptx, architecture);
  return assembly ? writeFile(file, assembly->cubin) : assembly.takeError();
}

static llvm::Error run(llvm::ArrayRef<char *> arguments) {
  GpuRunner runner;
  Names names;
  for (KernelSuite suite : kernelSuites)
    names.emplace_back(suite, buildTested(suite, runner.context(), runner.kernels()));
  StringRef first = arguments.empty() ? "" : arguments[0];
  int architecture = 0;
  if (first.consume_front("--image=") && !first.getAsInteger(10, architecture) && arguments.size() == 2)
    return image(runner.module(), architecture, arguments[1]);
  if (arguments.size() != 1)
    return llvm::createStringError("expected `FOLDER`, or `--image=ARCHITECTURE FILE`");
  std::string object, folder = arguments[0];
  llvm::raw_string_ostream out(object);
  if (failed(writeObject(runner.module(), out)))
    return llvm::createStringError("the kernels do not compile");
  return llvm::joinErrors(writeFile(folder + "/kernels.o", object), writeFile(folder + "/kernels.cpp", table(names)));
}

int main(int argc, char **argv) {
  if (llvm::Error error = run(llvm::ArrayRef<char *>(argv + 1, argc - 1))) {
    llvm::errs() << "device-kernels: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
