#include "cli/Launcher.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sched.h>
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

Launch launchMpi(const Program &program, const Options &options, const std::string &command,
                 const std::function<Status(Communicator &, int)> &body) {
  auto world = makeMpi();
  if (!world)
    return {world.status(), isFirstProcess()};
  Communicator &ranks = **world;
  int64_t wanted = program.mesh.ranks();
  bool tells = ranks.rank() == 0;
  if (ranks.size() != wanted)
    return {Status::error(
                fmt::format("this executable was compiled for {} {}, but {} {} started; run `{}`, or "
                            "compile with --ranks={}",
                            wanted, wanted == 1 ? "rank" : "ranks", ranks.size(), ranks.size() == 1 ? "was" : "were",
                            wanted == 1 ? command : fmt::format("mpirun -np {} {}", wanted, command), ranks.size())),
            tells};
  int64_t here = environmentNumber({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}, wanted);
  Status status = body(ranks, threadsOfRank(options, here));
  if (!status.ok())
    ranks.fail(status.message()); // others may still wait for this rank
  return {std::move(status), tells};
}

/// A job of one process needs no MPI, and may be on a machine that has none.
bool inJob() {
  return startedByMpi() && environmentNumber({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 0) != 1;
}

} // namespace

bool isFirstProcess() {
  return !inJob() || environmentNumber({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}, 0) == 0;
}

Launch launch(const Program &program, const Options &options, const std::string &command,
              const std::function<Status(Communicator &, int)> &body) {
  int64_t ranks = program.mesh.ranks();
  if (inJob()) {
    if (options.inProcess)
      return {Status::error("--in-process runs all ranks in one process; start it without mpirun"), isFirstProcess()};
    return launchMpi(program, options, command, body);
  }
  if (ranks == 1) {
    std::unique_ptr<Communicator> world = makeLoopback();
    return {body(*world, threadsOfRank(options, 1))};
  }
  if (!options.inProcess)
    return {
        Status::error(fmt::format("this executable was compiled for {} ranks, but 1 was started; run `mpirun -np {} "
                                  "{}`, or add --in-process to run them as threads of this process",
                                  ranks, ranks, command))};
  int threads = threadsOfRank(options, ranks);
  return {runInProcess(int(ranks), [&](Communicator &world) { return body(world, threads); })};
}

} // namespace sparsec::cli
