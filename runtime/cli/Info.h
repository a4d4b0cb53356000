// What an executable is, without running it.
#pragma once
#include "sparsec/Program.h"
#include <string>
#include <vector>

namespace sparsec::cli {

/// Bytes of weights and optimizer states that each rank holds.
std::vector<int64_t> bytesOfRanks(const Program &);

std::string infoJson(const Program &);
std::string infoText(const Program &);

} // namespace sparsec::cli
