#include "tools/sparsec/Output.h"
#include "codegen/Emit/Compile.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace sparsec;

int driver::fail(const llvm::Twine &text, const llvm::Twine &note) {
  llvm::errs() << "sparsec: error: " << text << "\n";
  if (!note.isTriviallyEmpty())
    llvm::errs() << "sparsec: note: " << note << "\n";
  return 1;
}

/// Why nothing can be written there; no error where it seems possible.
static std::error_code whyUnwritable(llvm::StringRef path, bool executable) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  std::error_code missing = fs::status(path, status);
  if (missing && missing != std::errc::no_such_file_or_directory)
    return missing;
  if (status.type() == fs::file_type::directory_file || path.ends_with("/"))
    return std::make_error_code(std::errc::is_a_directory);
  // Devices and pipes are asked when they are written; a linker puts a new file in the place of the old one.
  bool replaced = missing || (executable && status.type() == fs::file_type::regular_file);
  if (!replaced && status.type() != fs::file_type::regular_file)
    return {};
  std::string asked = path.str();
  if (replaced) {
    asked = llvm::sys::path::parent_path(path).str();
    asked = asked.empty() ? "." : asked;
    fs::file_status folder;
    if (std::error_code error = fs::status(asked, folder))
      return error;
    if (folder.type() != fs::file_type::directory_file)
      return std::make_error_code(std::errc::not_a_directory);
  }
  return access(asked.c_str(), replaced ? W_OK | X_OK : W_OK) ? llvm::errnoAsErrorCode() : std::error_code();
}

bool driver::checkOutput(llvm::StringRef path, llvm::ArrayRef<Input> inputs, bool executable) {
  if (path.empty() || path == "-")
    return true;
  llvm::sys::fs::UniqueID target, other;
  if (llvm::sys::fs::is_regular_file(path) && !llvm::sys::fs::getUniqueID(path, target))
    for (const Input &input : inputs)
      if (!llvm::sys::fs::getUniqueID(input.path, other) && target == other) {
        fail("the output `" + path + "` is the same file as the " + input.what + " `" + input.path + "`");
        return false;
      }
  std::error_code error = whyUnwritable(path, executable);
  if (error)
    fail("cannot write `" + path + "`: " + error.message());
  return !error;
}

int driver::writeOutput(const std::string &path, const std::function<void(llvm::raw_ostream &)> &print) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out);
  if (llvm::Error error = codegen::writeFile(path, text))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
