// Batches prepared while the one before computes: the input entries of a program on a thread of their own.
//
// Ranks exchange sizes and ids there over communicators of their own, so that these messages cannot fall between those
// of steps; the order of the work, which all ranks must share, is the order in which their steps ask for it.
#pragma once
#include "sparsec/Context.h"
#include "sparsec/Reader.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace sparsec {

/// One rank's thread for input, and what its contexts work with.
class InputThread {
public:
  /// All ranks call it. `compute`: what the rank's steps work with; must outlive the result.
  static Result<std::unique_ptr<InputThread>> create(const ContextParts &compute, int64_t rank);
  /// Finishes the work that was given.
  ~InputThread();

  /// Work is done in the order it is given. It must not throw.
  void post(std::function<void()> work);
  std::unique_ptr<Context> makeContext() const { return Context::createForInput(parts, rank); }

private:
  InputThread(const ContextParts &, int64_t rank, std::unique_ptr<Communicator> channel);
  void work();

  ContextParts parts;
  int64_t rank;
  std::unique_ptr<Communicator> channel;
  AxisCommunicators axes;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool ending = false;
  std::thread thread;
};

/// A batch that is ready for its step.
struct PreparedBatch {
  const Batch *batch = nullptr; // null: the source has ended
  BatchPosition after;          // of the batch behind it
  int64_t step = 0;
  Frame frame;
};

/// The step of a batch that is there.
inline Status runStep(Context &compute, SparsecEntry step, PreparedBatch &prepared) {
  return compute.run(step, *prepared.batch, prepared.step, &prepared.frame);
}

/// The same, but it may still be under way: see Context::start.
inline Status startStep(Context &compute, SparsecEntry step, PreparedBatch &prepared) {
  return compute.start(step, *prepared.batch, prepared.step, &prepared.frame);
}

/// The batches of one source for one kind of step, each prepared while the one before it computes.
class InputAhead {
public:
  /// `input` may be null: batches are then only read ahead. Steps count from `first`; the last is `last`, which no rank
  /// may exceed (0: no end). All ranks give the same. The source and the thread must outlive this.
  InputAhead(InputThread &, BatchSource &, SparsecEntry input, int64_t first, int64_t last = 0);
  /// Waits for the batch under way, if there is one.
  ~InputAhead();

  /// The next batch, once it is prepared, and starts on the one after it. Valid until the next call. All ranks call it
  /// alike. After an error or the end nothing more may be asked.
  Result<PreparedBatch *> next();

private:
  struct Slot {
    std::unique_ptr<Context> context;
    PreparedBatch prepared;
    Status status;
    bool ready = false;
  };
  void start(int64_t step);
  Status read(Slot &);
  void prepare(Slot &);
  void finish();
  Slot &slotOf(int64_t step) { return slots[step % 2]; }

  InputThread &thread;
  BatchSource &source;
  SparsecEntry input;
  int64_t step, last;
  std::mutex mutex;
  std::condition_variable changed;
  bool underWay = false; // a batch is being prepared: that of `step`
  Slot slots[2];
};

/// Runs the step of the next batch; null at the end.
inline Result<const Batch *> runNext(InputAhead &batches, Context &compute, SparsecEntry step) {
  Result<PreparedBatch *> next = batches.next();
  if (!next)
    return next.status();
  const Batch *batch = (*next)->batch;
  if (batch)
    if (Status s = runStep(compute, step, **next); !s)
      return s;
  return batch;
}

} // namespace sparsec
