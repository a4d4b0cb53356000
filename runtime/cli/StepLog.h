// --log: a file of JSON objects, one a line, for programs to read.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace sparsec::cli {

/// One training step, over all ranks.
struct StepRecord {
  int64_t step = 0;  // from 1
  int64_t epoch = 0; // from 0
  int64_t batch = 0; // in the epoch, from 0
  int64_t samples = 0;
  float loss = 0;
  double samplesPerSecond = 0; // since the line before
};

/// Rank 0's file. An object that was not opened swallows everything.
class StepLog {
public:
  /// `append`: a run that goes on keeps what it has logged.
  static Result<StepLog> open(const std::string &path, bool append);
  /// Flushed, so that another program can follow.
  Status write(const StepRecord &);

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::string path;
  std::unique_ptr<std::FILE, Close> file;
};

} // namespace sparsec::cli
