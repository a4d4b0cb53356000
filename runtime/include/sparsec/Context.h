// One rank of one model while it runs: what the functions of abi.h work on. It refers to the program, communicators,
// threads and GEMMs it was given and owns tables, memory, outputs and the status. One thread at a time uses it.
#pragma once
#include "sparsec/Communicator.h"
#include "sparsec/Memory.h"
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include "sparsec/Tables.h"
#include "sparsec/abi.h"
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace sparsec {

class Engine;
class Gemm;
class ThreadPool;
struct Batch;

/// What a rank needs from outside. All of it must outlive the context.
struct ContextParts {
  const Program *program = nullptr;
  const AxisCommunicators *communicators = nullptr; // this rank's
  ThreadPool *pool = nullptr;
  Gemm *gemm = nullptr;
};

/// Bytes this rank holds.
struct MemoryUse {
  int64_t tables = 0, params = 0; // weights and states
  int64_t arena = 0;              // planned buffers
  int64_t ragged = 0;             // run-time sized buffers: most that one entry has needed
  int64_t raggedReserved = 0;     // what the pool keeps for that
};

/// What the input entry of a batch leaves for the step of that batch: sizes, and pointers into its context's memory.
using Frame = std::vector<int64_t>;

class Context {
public:
  /// On the host, with the rank's tables; no message.
  static Result<std::unique_ptr<Context>> create(const ContextParts &, int64_t rank, const TableOptions & = {});
  /// Without tables: startDevice and then makeTables complete it.
  static Result<std::unique_ptr<Context>> createBare(const ContextParts &, int64_t rank);
  /// Allocates and initialises the rank's tables, on its device too; no message.
  Status makeTables(const TableOptions &);
  /// For input entries: without tables and parameters, always on the host.
  static std::unique_ptr<Context> createForInput(const ContextParts &, int64_t rank);
  ~Context();

  /// One step: forgets outputs, loss and status of the step before, calls the entry with this batch. The error is
  /// the first one reported; after a stop that all ranks agreed on, all have the same. Any other error fails the
  /// communicators, so that no rank waits for this one. After an error nothing more can be run. `frame`: null where
  /// the program has no input entry for this one.
  Status run(SparsecEntry, const Batch &, int64_t step, Frame *frame = nullptr);
  /// The same, but a device may still be at work on it; batch and frame are not needed any more. Steps before it are
  /// settled: outputs and loss are those of step settled(). If one of them has failed, that is the error.
  Status start(SparsecEntry, const Batch &, int64_t step, Frame *frame = nullptr);
  /// Waits for the step that was started last. All ranks call start and settle alike.
  Status settle();
  /// The step that outputs and loss are of; 0: of none.
  int64_t settled() const { return settledStep; }
  /// All ranks know of the error, and have the same.
  bool stoppedTogether() const { return together; }

  /// For those who work through abi.h.
  SparsecContext *handle() { return self.get(); }
  /// The host's memory of them; steps on a device work on the engine's (Engine::upload, download). Not of a context for
  /// input entries, which has none.
  Tables &tables() { return *held; }
  const Tables &tables() const { return *held; }
  /// The global loss of the last step that is settled, if it reported one.
  bool hasLoss() const { return lossReported; }
  float loss() const { return lastLoss; }
  /// Values of `task` from the last step, one for each sample of this rank; empty if there were none.
  std::span<const float> output(int64_t task) const;
  MemoryUse memory() const;
  int64_t rank() const { return place; }
  Engine &engine() const { return *worker; }
  /// If the program is for a device, its engine takes the place of the host's, without tables yet. All ranks call it;
  /// after an error nothing can be run.
  Status startDevice(const SparsecProgramImage &);

  // The rest is for the functions of abi.h (runtime/context) and for backends.
  const Program &program() const { return *parts.program; }
  ThreadPool &pool() const { return *parts.pool; }
  Gemm &gemm() const { return *parts.gemm; }
  const Batch &batch() const { return *current; }
  int64_t step() const { return currentStep; }
  Frame *frame() const { return currentFrame; }
  /// Keeps the first message. Returns 1, for `return context.fail(...)`.
  int32_t fail(Status);
  /// All ranks fail with this very message, in place of their own.
  int32_t failTogether(Status);
  /// 0, or fail.
  int32_t check(Status status) { return status.ok() ? 0 : fail(std::move(status)); }
  const Status &status() const { return first; }
  Communicator &communicator(int32_t axes) const { return parts.communicators->get(axes); }
  RaggedPool &ragged() { return pooled; }
  /// Ragged memory until the entry returns; throws std::bad_alloc.
  template <typename T> T *scratch(int64_t count) {
    if (T *memory = pooled.array<T>(count))
      return memory;
    throw std::bad_alloc();
  }
  void setEngine(std::unique_ptr<Engine> engine);
  void setOutput(int64_t task, std::span<const float> values);
  void setLoss(float loss);
  /// Outputs and loss, which are set now, are of this step.
  void setSettled(int64_t step) { settledStep = step; }
  void forgetResults();
  /// Transfers under way; a token is good for one wait.
  int64_t addTransfer(Pending);
  Status waitFor(int64_t token);

private:
  Context(const ContextParts &, int64_t rank);
  void failOthers() const;
  void settleEarlier();
  ContextParts parts;
  int64_t place;
  std::unique_ptr<SparsecContext> self;
  std::unique_ptr<Tables> held;
  std::unique_ptr<Engine> worker;
  RaggedPool pooled;
  const Batch *current = nullptr;
  Frame *currentFrame = nullptr;
  int64_t currentStep = 0;
  Status first;
  bool together = false;                   // all ranks know of the failure
  std::vector<std::vector<float>> outputs; // by task
  float lastLoss = 0;
  bool lossReported = false;
  int64_t settledStep = 0;
  std::map<int64_t, Pending> transfers;
  int64_t nextToken = 1;
};

} // namespace sparsec
