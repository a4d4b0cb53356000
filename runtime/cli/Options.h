// What a user may say on the command line of an executable.
#pragma once
#include "sparsec/Program.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparsec::cli {

enum class Command { train, eval, predict, bench, info };

struct Options {
  Command command = Command::info;
  std::vector<std::string> data, evalData;
  std::optional<int64_t> epochs, steps; // steps count from the start of the run; the first limit reached ends it
  std::string save, load, log, output;
  int64_t saveEvery = 0, evalEvery = 0, logEvery = 1; // steps; 0: at the end alone
  std::optional<uint64_t> seed;
  int threads = 0; // of each rank; 0: the machine's, shared by the ranks on it
  std::optional<double> zipf;
  double bagLength = 1;
  bool quiet = false, inProcess = false, json = false, kernels = false;
};

struct ParsedOptions {
  std::optional<int> exitCode; // set: nothing is to be done but print `text` and leave
  std::string text;            // help, or what is wrong
  Options options;
};

ParsedOptions parseOptions(int argc, const char *const *argv, const Program &);

} // namespace sparsec::cli
