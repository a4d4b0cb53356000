// PTX to machine code, by NVIDIA's assembler.
#include "codegen/GPU/Images.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace sparsec::codegen;
using namespace sparsec::codegen::device;
using llvm::StringRef;

std::string device::findPtxas() {
  auto usable = [](const std::string &path) { return !path.empty() && llvm::sys::fs::can_execute(path); };
  if (const char *named = std::getenv("SPARSEC_PTXAS"))
    return usable(named) ? named : "";
  if (const char *home = std::getenv("CUDA_HOME"))
    if (std::string path = std::string(home) + "/bin/ptxas"; usable(path))
      return path;
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  std::string path = "/usr/local/cuda/bin/ptxas";
  return usable(path) ? path : "";
}

namespace {
/// A file that goes with the object.
struct Temporary {
  llvm::SmallString<128> path;
  llvm::Error create(StringRef suffix) {
    return llvm::errorCodeToError(llvm::sys::fs::createTemporaryFile("sparsec-kernels", suffix, path));
  }
  llvm::Error write(StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (!error) {
      out << bytes;
      out.close();
      error = out.error();
    }
    return llvm::errorCodeToError(error);
  }
  llvm::Expected<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return llvm::errorCodeToError(buffer.getError());
    return (*buffer)->getBuffer().str();
  }
  ~Temporary() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
};
} // namespace

/// The number right before `what` in a line; 0: it is not said.
static int64_t numberBefore(StringRef line, StringRef what) {
  StringRef before = line.take_front(line.find(what)).rtrim();
  if (line.find(what) == StringRef::npos)
    return 0;
  int64_t number = 0;
  before.substr(before.find_last_not_of("0123456789") + 1).getAsInteger(10, number);
  return number;
}

/// `ptxas -v` says, in this order: Compiling entry function 'K' ...; stack frame and spills; Used N registers, ...
/// smem.
static std::vector<KernelUsage> parseUsage(StringRef said) {
  std::vector<KernelUsage> usage;
  llvm::SmallVector<StringRef> lines;
  said.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      usage.push_back({line.split('\'').second.split('\'').first.str()});
    } else if (!usage.empty() && line.contains("bytes stack frame")) {
      usage.back().stack = numberBefore(line, "bytes stack frame");
      usage.back().spillStores = numberBefore(line, "bytes spill stores");
      usage.back().spillLoads = numberBefore(line, "bytes spill loads");
    } else if (!usage.empty() && line.contains("registers")) {
      usage.back().registers = int(numberBefore(line, "registers"));
      usage.back().shared = numberBefore(line, "bytes smem");
    }
  }
  return usage;
}

llvm::Expected<Assembly> device::assemblePtx(StringRef ptxas, StringRef ptx, int arch) {
  Temporary source, code, words;
  for (auto [file, suffix] : {std::pair(&source, "ptx"), std::pair(&code, "cubin"), std::pair(&words, "log")})
    if (llvm::Error error = file->create(suffix))
      return std::move(error);
  if (llvm::Error error = source.write(ptx))
    return std::move(error);
  std::string gpu = "sm_" + std::to_string(arch), message;
  // Without contraction: what is written as a multiplication and an addition stays that.
  StringRef arguments[] = {ptxas, "-v", "-O3", "--fmad=false", "-arch", gpu, "-o", code.path, source.path};
  std::optional<StringRef> redirects[] = {StringRef(), words.path.str(), words.path.str()};
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, 0, 0, &message);
  llvm::Expected<std::string> said = words.read();
  if (!said)
    return said.takeError();
  if (status != 0)
    return llvm::createStringError("`" + ptxas + "` failed: " + (message.empty() ? *said : message));
  llvm::Expected<std::string> cubin = code.read();
  if (!cubin)
    return cubin.takeError();
  return Assembly{std::move(*cubin), parseUsage(*said)};
}
