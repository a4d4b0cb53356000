// A command on one rank.
#pragma once
#include "cli/Options.h"
#include "sparsec/Communicator.h"
#include "sparsec/abi.h"

namespace sparsec::cli {

/// Runs any command but `info` as rank world.rank() of the program, with `threads` threads. Rank 0 prints results on
/// stdout and progress on stderr. Returns the exit code of a run that did not fail.
Result<int> runRank(const Options &, const SparsecProgramImage &, const Program &, Communicator &world, int threads);

} // namespace sparsec::cli
