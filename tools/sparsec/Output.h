// Where results and complaints go.
#pragma once
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>

namespace sparsec::driver {

/// A complaint that belongs to no place in a description, on stderr. Returns 1, the exit code.
int fail(const llvm::Twine &text, const llvm::Twine &note = "");

/// Writes to a file, or to stdout if `path` is empty. A full disk is an error, not an abort at exit. Returns the exit
/// code.
int writeOutput(const std::string &path, const std::function<void(llvm::raw_ostream &)> &print);

} // namespace sparsec::driver
