// Files that a command writes: never one that it reads, and a new one takes the place of an old one when it is whole.
#pragma once
#include "sparsec/Status.h"
#include <cstdio>
#include <string>
#include <vector>

namespace sparsec::cli {

/// Refuses a path that is one of `inputs`, under whatever name, or a file of a folder among them.
Status refuseToOverwrite(const std::string &path, const std::vector<std::string> &inputs);

class OutputFile {
public:
  /// Empty: stdout. What is no plain file, such as a pipe, is written as it is.
  Status open(const std::string &path);
  OutputFile() = default;
  OutputFile(const OutputFile &) = delete;
  /// Without finish() nothing is left behind, and an old file stays. (A process that is killed leaves the new one, as
  /// `path`.new-PID-0.)
  ~OutputFile();
  Status write(const std::string &text);
  /// What is still in memory may be what no longer fits on the disk.
  Status finish();

private:
  Status failure(const char *doing) const;
  std::string path, fresh; // fresh: a file beside it that becomes `path`; empty if written as it is
  std::FILE *file = nullptr;
};

} // namespace sparsec::cli
