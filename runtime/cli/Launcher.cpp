#include "cli/Launcher.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace sparsec::cli {

namespace {

/// The first of these variables that is a number.
int64_t environmentNumber(std::initializer_list<const char *> names, int64_t otherwise) {
  for (const char *name : names)
    if (const char *text = std::getenv(name)) {
      char *end = nullptr;
      long long value = std::strtoll(text, &end, 10);
      if (end != text && *end == '\0')
        return value;
    }
  return otherwise;
}

/// Threads of each rank: the user's, or the machine's shared by the `ranksHere` on it; a launcher that binds a rank to
/// some cores is obeyed.
int threadsOfRank(const Options &options, int64_t ranksHere) {
  if (options.threads)
    return options.threads;
  int64_t online = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)), allowed = online;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    allowed = CPU_COUNT(&set);
  return int(std::max<int64_t>(1, std::min(allowed, online / std::max<int64_t>(1, ranksHere))));
}

/// What goes wrong in every process alike, before they can talk to each other.
void tellFirst(const Status &status, const std::function<void(const Status &)> &tell) {
  if (isFirstProcess())
    tell(status);
  awaitFirstProcess();
}

Status checkRanks(const Communicator &world, int64_t wanted, const std::string &command) {
  if (world.size() == wanted)
    return {};
  return Status::error(
      fmt::format("this executable was compiled for {} {}, but {} {} started; run `{}`, or compile with --ranks={}",
                  wanted, wanted == 1 ? "rank" : "ranks", world.size(), world.size() == 1 ? "was" : "were",
                  wanted == 1 ? command : fmt::format("mpirun -np {} {}", wanted, command), world.size()));
}

Status launchMpi(const Program &program, const Options &options, const std::string &command,
                 const std::function<Status(Communicator &, int)> &body,
                 const std::function<void(const Status &)> &tell) {
  auto made = makeMpi();
  if (!made) {
    tellFirst(made.status(), tell);
    return made.status();
  }
  Communicator &world = **made;
  int64_t wanted = program.mesh.ranks();
  int64_t here = environmentNumber({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}, wanted);
  Status status = checkRanks(world, wanted, command);
  if (status.ok())
    status = body(world, threadsOfRank(options, here));
  if (!status.ok()) {
    world.fail(status.message()); // others may still wait for this rank
    if (world.rank() == 0)
      tell(status);
    if (!world.awaitFirst()) // busy with something long, and the launcher will end it with this process
      tell(status);
  }
  return status;
}

/// A job of one process needs no MPI, and may be on a machine that has none.
bool inJob() {
  return startedByMpi() && environmentNumber({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 0) != 1;
}

/// Without MPI: one rank, or all as threads of this process.
Status launchHere(const Program &program, const Options &options, const std::string &command,
                  const std::function<Status(Communicator &, int)> &body) {
  int64_t ranks = program.mesh.ranks();
  if (ranks == 1) {
    std::unique_ptr<Communicator> world = makeLoopback();
    return body(*world, threadsOfRank(options, 1));
  }
  if (!options.inProcess)
    return Status::error(fmt::format("this executable was compiled for {} ranks, but 1 was started; run `mpirun -np {} "
                                     "{}`, or add --in-process to run them as threads of this process",
                                     ranks, ranks, command));
  int threads = threadsOfRank(options, ranks);
  return runInProcess(int(ranks), [&](Communicator &world) { return body(world, threads); });
}

} // namespace

bool isFirstProcess() {
  return !inJob() || environmentNumber({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}, 0) == 0;
}

void awaitFirstProcess() {
  if (!isFirstProcess())
    std::this_thread::sleep_for(std::chrono::seconds(1)); // all fail at the same point, so none has long to wait
}

Status launch(const Program &program, const Options &options, const std::string &command,
              const std::function<Status(Communicator &, int)> &body, const std::function<void(const Status &)> &tell) {
  if (inJob() && !options.inProcess)
    return launchMpi(program, options, command, body, tell);
  Status status = inJob() ? Status::error("--in-process runs all ranks in one process; start it without mpirun")
                          : launchHere(program, options, command, body);
  if (!status.ok())
    tellFirst(status, tell);
  return status;
}

} // namespace sparsec::cli
