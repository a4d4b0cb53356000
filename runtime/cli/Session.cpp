#include "cli/Session.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/MemoryNeed.h"
#include "sparsec/Engine.h"
#include <fmt/format.h>

namespace sparsec::cli {

Session::Session(const SparsecProgramImage &image, const Program &program, Communicator &world,
                 const SessionOptions &options)
    : code(image), model(program), ranks(world), options(options), pool(options.threads), gemm(pool) {}

Result<std::unique_ptr<Session>> Session::create(const SparsecProgramImage &image, const Program &program,
                                                 Communicator &world, const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session(image, program, world, options));
  if (Status s = session->build(); !s)
    return s;
  return session;
}

Status Session::build() {
  Status threads = pool.started();
  if (!threads.ok())
    threads = Status::error(threads.message() + "; lower --threads");
  if (Status s = agreeStatus(ranks, threads); !s)
    return s;
  Result<AxisCommunicators> made = AxisCommunicators::create(ranks, model.mesh);
  if (!made)
    return made.status();
  axes = std::move(*made);
  ContextParts parts{&model, &axes, &pool, &gemm};
  auto context = Context::createBare(parts, ranks.rank());
  if (Status s = agreeStatus(ranks, context.status()); !s)
    return s;
  rankContext = std::move(*context);
  // The device first: whether there is one is known at once, tables take a while.
  if (Status s = agreeStatus(ranks, rankContext->startDevice(code)); !s)
    return s;
  if (Status s = checkMemory(model, ranks, options.states); !s)
    return s;
  if (Status s = agreeStatus(ranks, rankContext->makeTables(TableOptions{options.seed, options.states})); !s)
    return s;
  auto thread = InputThread::create(parts, ranks.rank());
  if (!thread)
    return thread.status();
  input = std::move(*thread);
  return {};
}

Status Session::save(const std::string &directory, const CheckpointState &state) const {
  if (Status s = agreeStatus(ranks, rankContext->engine().download()); !s)
    return s;
  return saveCheckpoint(directory, state, checkpointTensors(model),
                        checkpointPieces(model, rankContext->tables(), ranks.rank()), ranks);
}

Result<CheckpointState> Session::load(const std::string &directory) const {
  bool weightsOnly = !options.states;
  auto state = loadCheckpoint(directory, model.model, model.fingerprint, checkpointTensors(model, weightsOnly),
                              checkpointPieces(model, rankContext->tables(), ranks.rank(), weightsOnly), ranks,
                              /*exact=*/options.states);
  if (!state)
    return state;
  if (Status s = agreeStatus(ranks, rankContext->engine().upload()); !s)
    return s;
  return state;
}

Status Session::compareFiles(const std::vector<std::string> &files) const {
  Result<ContentCheck> mine = checkContent(files);
  if (Status s = agreeStatus(ranks, mine.status()); !s)
    return s;
  ContentCheck first = *mine;
  if (Status s = ranks.broadcast(&first, sizeof first, 0); !s)
    return s;
  Status same = first == *mine
                    ? Status()
                    : Status::error(fmt::format("the data is {} bytes here (checksum {:016x}), but {} ({:016x}) on "
                                                "rank 0; all ranks need the same files",
                                                mine->bytes, mine->checksum, first.bytes, first.checksum));
  return agreeStatus(ranks, same);
}

} // namespace sparsec::cli
