// From one rank's `rec` program to an object or an executable: all that a command line needs.
//
//   registerCodegenDialects(registry) and registerEmitTranslations(registry) before the context is made;
//   compileProgram(module, options, path) after partition, differentiate and optimize.
#pragma once
#include "codegen/Common/Passes.h"
#include "codegen/Common/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace sparsec::codegen {

enum class OutputKind { executable, object, assembly, llvmText };

struct EmitOptions {
  /// `native`, `x86-64-v3`, `x86-64-v4`, or any name that LLVM knows.
  std::string cpu = "native";
  /// Optimisation level of LLVM, 0 to 3.
  unsigned optimization = 3;
};

struct LinkOptions {
  /// The compiler driver that links; empty: $SPARSEC_LINKER, else clang++-22, clang++, c++, g++, the first there is.
  std::string linker;
  /// What the executable begins with.
  std::string main = "libsparsec_main.a";
  /// Where that and libsparsec_runtime.a are; empty: $SPARSEC_LIBRARY_DIR, else ../lib beside this
  /// program.
  std::string libraryDir;
};

struct CompileOptions {
  OutputKind kind = OutputKind::executable;
  const Target *target = nullptr; // must outlive the compilation
  EmitOptions emit;
  LinkOptions link;
  /// Texts for the description: version of the compiler, the plan.
  std::string compiler, plan;
};

void registerEmitTranslations(mlir::DialectRegistry &registry);

/// Adds the module attribute `sparsec.program`, the program description as JSON. Needs the model's symbols and inputs.
mlir::LogicalResult describeProgram(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the description and the codegen pipeline: the module is LLVM dialect afterwards.
mlir::LogicalResult lowerProgram(mlir::ModuleOp module, const CompileOptions &options);

/// A module in LLVM dialect as LLVM IR text, assembly or object, optimised; adds the global `sparsec_program`.
mlir::LogicalResult emitText(mlir::ModuleOp module, const EmitOptions &options, OutputKind kind,
                             llvm::raw_ostream &out);

/// Writes all of a file (stdout where `path` is empty or `-`) or none of it: a full disk or a signal leaves no file
/// behind. The error says `cannot write ...: why`.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// A file in the folder for temporary ones, removed at the end or when a signal ends the process.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile();
  mlir::LogicalResult create(mlir::ModuleOp module, llvm::StringRef prefix, llvm::StringRef suffix);
  llvm::Error write(llvm::StringRef bytes);
  llvm::StringRef path() const { return name; }

private:
  std::string name;
};

/// Links an object with the runtime. Errors are diagnostics without a place.
mlir::LogicalResult linkExecutable(mlir::ModuleOp module, const LinkOptions &options, const RuntimeParts &parts,
                                   llvm::StringRef object, llvm::StringRef path);

/// An error about a file or the linker, which is no fault of the model's: it has no place.
mlir::InFlightDiagnostic fileError(mlir::ModuleOp module, const llvm::Twine &text);

/// A module in LLVM dialect to the file `path`.
mlir::LogicalResult emitProgram(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef path);

/// All of it: a `rec` program to the file `path`. The module is consumed.
mlir::LogicalResult compileProgram(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef path);

} // namespace sparsec::codegen
