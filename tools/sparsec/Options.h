// The command line of `sparsec`.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparsec::driver {

struct Options {
  std::vector<std::string> models; // files, read as one
  std::string output;              // the executable; with `emit`, where its text or object goes (else stdout)
  std::string emit;                // the stage whose result is printed
  std::string cluster, plan;       // files, or the name of a built-in cluster
  int64_t ranks = 0, groups = 0;   // 0: not said
  std::string target = "cpu";
  std::vector<std::string> architectures; // of a device; none: the target's own choice
  std::string matmul;                     // fp32, tf32, bf16; empty: fp32
  std::string cpu = "native";
  std::string printCluster; // a built-in cluster to print
  bool printStages = false;
  bool tune = false;     // make a tuner in place of the program
  std::string schedules; // file: of lookups, measured
};

/// Fills `options`; or, after --help, --version or an error, gives the exit code to leave with.
std::optional<int> parseOptions(int argc, const char *const *argv, Options &options);

} // namespace sparsec::driver
