// Object and runtime to executable, by the compiler driver of the machine.
#include "codegen/Emit/Compile.h"
#include "codegen/Emit/LinkLibraries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <unistd.h>

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

/// Why a file of so many bytes does not fit beside `path`; no error where it does.
static std::error_code whyNoRoom(StringRef path, uint64_t bytes) {
  int file;
  SmallString<128> probe;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(path + "-%%%%%%", file, probe))
    return error;
  llvm::FileRemover remove(probe);
  int code = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  close(file);
  return {code, std::generic_category()};
}

/// Why a linker with these last words could not write, if that was it. lld maps its output, so that a full disk is a
/// signal to it and an invitation to report a bug.
static std::error_code whyUnwritten(StringRef words, StringRef path, uint64_t bytes) {
  std::error_code full = std::make_error_code(std::errc::no_space_on_device);
  if (words.contains(full.message()))
    return full;
  return words.contains("signal") ? whyNoRoom(path, bytes) : std::error_code();
}

/// What lld writes before it is the output, `NAME.tmp` and seven hexadecimal digits beside it. lld leaves it behind
/// when it dies.
static std::set<std::string> halfWritten(StringRef path) {
  std::set<std::string> found;
  StringRef folder = llvm::sys::path::parent_path(path);
  std::string start = (llvm::sys::path::filename(path) + ".tmp").str();
  std::error_code none;
  for (llvm::sys::fs::directory_iterator it(folder.empty() ? "." : folder, none), end; it != end && !none;
       it.increment(none)) {
    StringRef name = llvm::sys::path::filename(it->path());
    if (name.consume_front(start) && name.size() == 7 && llvm::all_of(name, llvm::isHexDigit))
      found.insert(it->path());
  }
  return found;
}

/// Runs the linker with its messages in a file, shown if it fails.
static LogicalResult run(ModuleOp module, StringRef program, ArrayRef<std::string> arguments, StringRef path) {
  TemporaryFile log;
  if (failed(log.create(module, "sparsec-link", "log")))
    return failure();
  SmallVector<StringRef> words = {program};
  words.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, log.path(), log.path()};
  std::string error;
  std::set<std::string> before = halfWritten(path);
  int code = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects, 0, 0, &error);
  if (code == 0)
    return success();
  for (const std::string &left : halfWritten(path))
    if (!before.contains(left))
      llvm::sys::fs::remove(left);
  auto text = llvm::MemoryBuffer::getFile(log.path());
  std::string said = text && !(*text)->getBuffer().empty() ? (*text)->getBuffer().str() : error;
  uint64_t linked = 0; // no executable is larger than what it is made of
  for (StringRef argument : arguments)
    if (uint64_t size; !llvm::sys::fs::file_size(argument, size))
      linked += size;
  if (std::error_code why = whyUnwritten(said, path, linked))
    return fileError(module, "cannot write `" + path + "`: " + why.message());
  auto diagnostic = fileError(module, "linking with `" + program + "` failed");
  diagnostic.attachNote() << said;
  return failure();
}

LogicalResult sparsec::codegen::linkExecutable(ModuleOp module, const LinkOptions &options, const RuntimeParts &parts,
                                               StringRef object, StringRef path) {
  std::string linker = findLinker(options), folder = findLibraries(options);
  if (linker.empty()) {
    auto diagnostic = fileError(module, "no linker found");
    diagnostic.attachNote() << "expected clang++-22, clang++ or c++ on the path; or name one in SPARSEC_LINKER";
    return failure();
  }
  std::vector<std::string> arguments = {object.str(), "-o", path.str()};
  if (llvm::sys::path::filename(linker).starts_with("clang") && llvm::sys::findProgramByName("ld.lld-22"))
    arguments.push_back("-fuse-ld=lld");
  std::vector<std::string> archives = {options.main};
  llvm::append_range(archives, parts.archives);
  archives.push_back("libsparsec_runtime.a");
  arguments.push_back("-Wl,--start-group");
  for (const std::string &name : archives) {
    SmallString<128> library(folder);
    llvm::sys::path::append(library, name);
    if (!llvm::sys::fs::exists(library)) {
      auto diagnostic = fileError(module, "expected the runtime library `" + name + "` in `" + folder + "`");
      diagnostic.attachNote() << "name its folder in SPARSEC_LIBRARY_DIR";
      return failure();
    }
    arguments.push_back(library.str().str());
  }
  arguments.push_back("-Wl,--end-group");
  llvm::append_range(arguments, parts.flags);
  for (StringRef library : llvm::split(linkLibraries, ';'))
    if (!library.empty())
      arguments.push_back(library.str());
  return run(module, linker, arguments, path);
}
