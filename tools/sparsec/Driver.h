// What `sparsec` does, between its command line and the stages.
#pragma once
#include <string>
#include <vector>

namespace sparsec::driver {

struct Options;

/// What --emit knows: `model`, then the stages in order.
std::vector<std::string> emittable();

/// Does what the options say and gives the exit code, 0 or 1. Results go to stdout, diagnostics to stderr.
int run(const Options &options);

} // namespace sparsec::driver
