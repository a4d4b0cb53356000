// What a program's tables and weights take, and whether the machine has it.
#pragma once
#include "sparsec/Communicator.h"
#include "sparsec/Program.h"
#include <string>
#include <vector>

namespace sparsec::cli {

/// Bytes of weights and, with `states`, optimizer states that each rank holds.
std::vector<int64_t> bytesOfRanks(const Program &, bool states = true);

/// "1.5 GB"
std::string amount(int64_t bytes);

/// Bytes that this process could still get without swapping, within its control group; the most there can be where
/// the system does not say.
int64_t freeMemory();

/// Before anything is allocated: ranks on one machine need no more than it has. Every rank calls it; all return the
/// same.
Status checkMemory(const Program &, Communicator &world, bool states);

} // namespace sparsec::cli
