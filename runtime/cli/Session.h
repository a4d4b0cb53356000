// One rank of a program, ready to run: its threads, communicators and context, and where it stands.
#pragma once
#include "sparsec/Checkpoint.h"
#include "sparsec/Communicator.h"
#include "sparsec/Context.h"
#include "sparsec/Gemm.h"
#include "sparsec/InputAhead.h"
#include "sparsec/Reader.h"
#include "sparsec/ThreadPool.h"
#include <memory>
#include <string>
#include <vector>

namespace sparsec::cli {

struct SessionOptions {
  int threads = 1;
  uint64_t seed = 1;  // of initial values
  bool states = true; // of optimizers: training alone needs them
};

class Session {
public:
  /// Every rank calls it; all get the same status. Image, program and communicator must outlive the session.
  static Result<std::unique_ptr<Session>> create(const SparsecProgramImage &, const Program &, Communicator &world,
                                                 const SessionOptions &);

  const SparsecProgramImage &image() const { return code; }
  const Program &program() const { return model; }
  Communicator &world() const { return ranks; }
  Context &context() const { return *rankContext; }
  InputThread &inputThread() const { return *input; }
  bool first() const { return ranks.rank() == 0; }
  int threads() const { return pool.threads(); }
  /// Threads that parse data beside the ones that compute.
  int readerThreads() const { return std::max(1, threads() / 4); }

  /// All ranks together.
  Status save(const std::string &directory, const CheckpointState &) const;
  Result<CheckpointState> load(const std::string &directory) const;
  /// Refuses ranks that see other files than rank 0.
  Status compareFiles(const std::vector<std::string> &files) const;

private:
  Session(const SparsecProgramImage &, const Program &, Communicator &, const SessionOptions &);
  Status build();
  const SparsecProgramImage &code;
  const Program &model;
  Communicator &ranks;
  SessionOptions options;
  ThreadPool pool;
  Gemm gemm;
  AxisCommunicators axes;
  std::unique_ptr<Context> rankContext;
  std::unique_ptr<InputThread> input;
};

} // namespace sparsec::cli
