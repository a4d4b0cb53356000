// Files that are there in full or not at all.
#include "codegen/Emit/Compile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static llvm::Error cannotWrite(StringRef what, std::error_code error) {
  return llvm::createStringError("cannot write " + what + ": " + error.message());
}

/// Writes and forgets the stream's error, which would end the process with the stream.
static std::error_code writeTo(llvm::raw_fd_ostream &out, StringRef bytes, bool close) {
  out << bytes;
  close ? out.close() : out.flush();
  std::error_code error = out.error();
  out.clear_error();
  return error;
}

/// Over what is there, which stays there after an error.
static llvm::Error overwrite(StringRef path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error)
    error = writeTo(out, bytes, /*close=*/true);
  return error ? cannotWrite(("`" + path + "`").str(), error) : llvm::Error::success();
}

llvm::Error sparsec::codegen::writeFile(StringRef path, StringRef bytes) {
  if (path.empty() || path == "-") {
    std::error_code error = writeTo(llvm::outs(), bytes, /*close=*/false);
    return error ? cannotWrite("the result", error) : llvm::Error::success();
  }
  llvm::sys::fs::file_status status;
  bool isNew = bool(llvm::sys::fs::status(path, status, /*follow=*/false));
  if (!isNew && status.type() != llvm::sys::fs::file_type::regular_file)
    return overwrite(path, bytes); // a device or a link is never removed
  std::error_code error;
  llvm::ToolOutputFile out(path, error, llvm::sys::fs::OF_None);
  if (!error)
    error = writeTo(out.os(), bytes, /*close=*/true);
  if (error)
    return cannotWrite(("`" + path + "`").str(), error);
  out.keep();
  return llvm::Error::success();
}

InFlightDiagnostic sparsec::codegen::fileError(ModuleOp module, const Twine &text) {
  return emitError(UnknownLoc::get(module.getContext()), text);
}

LogicalResult TemporaryFile::create(ModuleOp module, StringRef prefix, StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(prefix, suffix, path))
    return fileError(module, "cannot make a temporary file: " + error.message());
  name = path.str().str();
  llvm::sys::RemoveFileOnSignal(name);
  return success();
}

// Not writeFile, which would no longer have the file removed by a signal once it is written.
llvm::Error TemporaryFile::write(StringRef bytes) { return overwrite(name, bytes); }

TemporaryFile::~TemporaryFile() {
  if (name.empty())
    return;
  llvm::sys::fs::remove(name);
  llvm::sys::DontRemoveFileOnSignal(name);
}
