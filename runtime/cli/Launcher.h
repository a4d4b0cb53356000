// Which ranks live in this process.
#pragma once
#include "cli/Options.h"
#include "sparsec/Communicator.h"
#include "sparsec/Program.h"
#include <functional>
#include <string>

namespace sparsec::cli {

/// False in the processes of a job that leave messages to their first one.
bool isFirstProcess();

/// In the other processes of a job, before they end badly without having met the first: gives it time to say why.
void awaitFirstProcess();

/// Runs body(world, threads) for each rank in this process: one of an MPI job, the only one, or with --in-process all
/// as threads. The number of ranks must be the program's; `command` is named in the advice otherwise. What fails is
/// told by the first process, through `tell`, before any process gets it as the result; where the first is busy for
/// seconds, by another.
Status launch(const Program &, const Options &, const std::string &command,
              const std::function<Status(Communicator &world, int threads)> &body,
              const std::function<void(const Status &)> &tell);

} // namespace sparsec::cli
