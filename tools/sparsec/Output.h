// Where results and complaints go.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>

namespace sparsec::driver {

/// A complaint that belongs to no place in a description, on stderr. Returns 1, the exit code.
int fail(const llvm::Twine &text, const llvm::Twine &note = "");

/// An input file, and what the command line or the description calls it.
struct Input {
  std::string path;
  llvm::StringRef what;
};

/// Whether what is compiled may go to `path`: it is none of the inputs, and looks writable. Nothing is opened: what was
/// there stays until there is something to write. An executable takes the place of an old one that cannot be written.
/// False after a complaint.
bool checkOutput(llvm::StringRef path, llvm::ArrayRef<Input> inputs, bool executable);

/// Writes to a file, or to stdout if `path` is empty or `-`. Returns the exit code.
int writeOutput(const std::string &path, const std::function<void(llvm::raw_ostream &)> &print);

} // namespace sparsec::driver
