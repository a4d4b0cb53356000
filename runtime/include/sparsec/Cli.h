// The command line of an executable. main() of every program that `sparsec` makes is this one call.
#pragma once
#include "sparsec/abi.h"

namespace sparsec {

/// Runs `train`, `eval`, `predict`, `bench` or `info`. Returns the exit code: 0 on success alone, 1 where the work
/// failed, 2 where the command line is wrong. One message on stderr says why.
int runExecutable(int argc, char **argv, const SparsecProgramImage *);

} // namespace sparsec
