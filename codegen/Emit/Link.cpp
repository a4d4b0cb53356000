// Object and runtime to executable, by the compiler driver of the machine.
#include "codegen/Emit/Compile.h"
#include "codegen/Emit/LinkLibraries.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string findLinker(const LinkOptions &options) {
  std::string asked = options.linker.empty() ? environment("SPARSEC_LINKER") : options.linker;
  SmallVector<StringRef> names = {asked};
  if (asked.empty())
    names = {"clang++-22", "clang++", "c++", "g++"};
  for (StringRef name : names)
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return "";
}

static std::string findLibraries(const LinkOptions &options) {
  if (!options.libraryDir.empty())
    return options.libraryDir;
  if (std::string asked = environment("SPARSEC_LIBRARY_DIR"); !asked.empty())
    return asked;
  static int here;
  SmallString<128> folder(llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, &here)));
  llvm::sys::path::append(folder, "..", "lib");
  return folder.str().str();
}

/// Runs the linker with its messages in a file, shown if it fails.
static LogicalResult run(ModuleOp module, StringRef program, ArrayRef<std::string> arguments) {
  SmallString<128> log;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("sparsec-link", "log", log))
    return module.emitError("cannot make a temporary file: ") << error.message();
  auto remove = llvm::make_scope_exit([&] { llvm::sys::fs::remove(log); });
  SmallVector<StringRef> words = {program};
  words.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log), StringRef(log)};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects, 0, 0, &error);
  if (code == 0)
    return success();
  auto text = llvm::MemoryBuffer::getFile(log);
  auto diagnostic = module.emitError("linking with `") << program << "` failed";
  diagnostic.attachNote() << (text && !(*text)->getBuffer().empty() ? (*text)->getBuffer().str() : error);
  return failure();
}

LogicalResult sparsec::codegen::linkExecutable(ModuleOp module, const LinkOptions &options, StringRef object,
                                               StringRef path) {
  std::string linker = findLinker(options), folder = findLibraries(options);
  if (linker.empty()) {
    auto diagnostic = module.emitError("no linker found");
    diagnostic.attachNote() << "expected clang++-22, clang++ or c++ on the path; or name one in SPARSEC_LINKER";
    return failure();
  }
  std::vector<std::string> arguments = {object.str(), "-o", path.str()};
  if (llvm::sys::path::filename(linker).starts_with("clang") && llvm::sys::findProgramByName("ld.lld-22"))
    arguments.push_back("-fuse-ld=lld");
  for (StringRef name : {"libsparsec_main.a", "libsparsec_runtime.a"}) {
    SmallString<128> library(folder);
    llvm::sys::path::append(library, name);
    if (!llvm::sys::fs::exists(library)) {
      auto diagnostic = module.emitError("expected the runtime library `") << name << "` in `" << folder << "`";
      diagnostic.attachNote() << "name its folder in SPARSEC_LIBRARY_DIR";
      return failure();
    }
    arguments.push_back(library.str().str());
  }
  for (StringRef library : llvm::split(linkLibraries, ';'))
    if (!library.empty())
      arguments.push_back(library.str());
  return run(module, linker, arguments);
}
