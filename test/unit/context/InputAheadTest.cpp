// Batches prepared one ahead: order, frames, ends, errors.
#include "sparsec/InputAhead.h"
#include "World.h"
#include <atomic>
#include <fmt/format.h>

namespace sparsec::test {
namespace {

/// Batch i has i + 1 samples over all ranks. Counts how many were read.
class Counting : public BatchSource {
public:
  Counting(int64_t batches, int64_t bad = -1) : batches(batches), bad(bad) {}
  const Batch *next() override {
    if (at == batches)
      return nullptr;
    Batch &batch = made[at % 2];
    batch.status = at == bad ? Status::error("data.tsv:3:1: not a number") : Status();
    batch.samples = batch.status.ok() ? 1 : 0;
    batch.batchIndex = at++;
    batch.globalSamples = at;
    return &batch;
  }
  BatchPosition position() const override { return {0, at}; }
  Status seek(BatchPosition place) override {
    at = place.batch;
    return {};
  }
  int64_t epochSamples() override { return 0; }
  DataCounters counters() const override { return {}; }
  int64_t at = 0;

private:
  int64_t batches, bad;
  Batch made[2];
};

/// Agrees on sizes and hands on their sum, times the step.
int32_t input(SparsecContext *handle, int64_t step) {
  int64_t total = 0;
  if (int32_t status = sparsec_agree(handle, allAxes, sparsec_batch_status(handle), sparsec_batch_size(handle), &total))
    return status;
  int64_t *frame = sparsec_frame(handle, 2);
  int64_t *memory = static_cast<int64_t *>(sparsec_ragged(handle, 8));
  *memory = 7 * step;
  frame[0] = total * step;
  frame[1] = reinterpret_cast<int64_t>(memory);
  return 0;
}

/// Finds it, and what its pointers point to, with a message of its own between.
int32_t compute(SparsecContext *handle, int64_t step) {
  float sum = 1;
  if (int32_t status = sparsec_all_reduce(handle, allAxes, &sum, 1))
    return status;
  int64_t *frame = sparsec_frame(handle, 2);
  EXPECT_EQ(frame[0], int64_t(sum) * step);
  EXPECT_EQ(*reinterpret_cast<int64_t *>(frame[1]), 7 * step);
  return 0;
}

using Body = std::function<Status(InputThread &, Context &)>;
Status onRanks(Mesh mesh, const Body &body) {
  Program program;
  program.mesh = mesh;
  CommOptions options;
  options.timeout = std::chrono::seconds(20);
  return runInProcess(
      int(mesh.ranks()),
      [&](Communicator &world) -> Status {
        auto axes = AxisCommunicators::create(world, mesh);
        if (!axes)
          return axes.status();
        ThreadPool pool(1);
        Gemm gemm(pool);
        ContextParts parts{&program, &*axes, &pool, &gemm};
        auto context = Context::create(parts, world.rank());
        if (!context)
          return context.status();
        auto thread = InputThread::create(parts, world.rank());
        return thread ? body(**thread, **context) : thread.status();
      },
      options);
}

/// Steps until the end or an error; how many.
Status runAll(InputAhead &batches, Context &context, int64_t &steps, SparsecEntry entry = compute) {
  for (;;) {
    Result<PreparedBatch *> next = batches.next();
    if (!next)
      return next.status();
    if (!(*next)->batch)
      return {};
    EXPECT_EQ((*next)->after.batch, (*next)->batch->batchIndex + 1);
    if (Status s = runStep(context, entry, **next); !s)
      return s;
    ++steps;
  }
}

TEST(InputAhead, FramesMeetTheirSteps) {
  for (Mesh mesh : {Mesh{1, 1, 1}, Mesh{2, 1, 2}, Mesh{1, 1, 3}}) {
    Status status = onRanks(mesh, [](InputThread &thread, Context &context) -> Status {
      Counting source(20);
      int64_t steps = 0;
      InputAhead batches(thread, source, input, 1);
      Status s = runAll(batches, context, steps);
      EXPECT_EQ(steps, 20);
      return s;
    });
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(InputAhead, ReadsNothingPastTheLastStep) {
  Status status = onRanks({1, 1, 2}, [](InputThread &thread, Context &context) -> Status {
    Counting source(20);
    int64_t steps = 0;
    Status s;
    {
      InputAhead batches(thread, source, input, 5, 7);
      s = runAll(batches, context, steps);
    }
    EXPECT_EQ(steps, 3);
    EXPECT_EQ(source.at, 3);
    return s;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(InputAhead, OneUnderWayWhileAnotherRuns) {
  // An evaluation between two steps of training, whose next batch is on its way: no message meets the wrong one.
  Status status = onRanks({1, 1, 3}, [](InputThread &thread, Context &context) -> Status {
    Counting training(6), evaluation(4);
    InputAhead batches(thread, training, input, 1);
    for (int64_t step = 1; step <= 6; ++step) {
      Result<PreparedBatch *> next = batches.next();
      if (!next)
        return next.status();
      if (Status s = runStep(context, compute, **next); !s)
        return s;
      int64_t steps = 0;
      (void)evaluation.seek({0, 0});
      InputAhead inner(thread, evaluation, input, 1);
      if (Status s = runAll(inner, context, steps); !s)
        return s;
      EXPECT_EQ(steps, 4);
    }
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(InputAhead, ABadBatchStopsAllBeforeItsStepAndNotBefore) {
  std::vector<std::string> messages(3);
  Status status = onRanks({1, 1, 3}, [&](InputThread &thread, Context &context) -> Status {
    Counting source(20, context.rank() == 1 ? 3 : -1);
    int64_t steps = 0;
    InputAhead batches(thread, source, input, 1);
    Status s = runAll(batches, context, steps);
    EXPECT_EQ(steps, 3);
    messages[context.rank()] = s.message();
    return s;
  });
  EXPECT_FALSE(status.ok());
  for (const std::string &message : messages)
    EXPECT_EQ(message, "rank 1: data.tsv:3:1: not a number");
}

TEST(InputAhead, AFailingStepLeavesNoneWaiting) {
  Status status = onRanks({1, 1, 3}, [](InputThread &thread, Context &context) -> Status {
    static thread_local Context *mine;
    mine = &context;
    Counting source(20);
    int64_t steps = 0;
    InputAhead batches(thread, source, input, 1);
    return runAll(batches, context, steps, [](SparsecContext *handle, int64_t step) -> int32_t {
      if (step == 4 && mine->rank() == 2)
        return mine->fail(Status::error("table `t`: broken"));
      return compute(handle, step);
    });
  });
  EXPECT_NE(status.message().find("table `t`: broken"), std::string::npos) << status.message();
}

TEST(InputAhead, WithoutAnInputEntryBatchesAreReadAhead) {
  Status status = onRanks({}, [](InputThread &thread, Context &context) -> Status {
    Counting source(5);
    int64_t steps = 0;
    InputAhead batches(thread, source, nullptr, 1);
    Status s = runAll(batches, context, steps, [](SparsecContext *, int64_t) -> int32_t { return 0; });
    EXPECT_EQ(steps, 5);
    return s;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(InputAhead, AStepWithoutAFrame) {
  Status status = onRanks({}, [](InputThread &, Context &context) -> Status {
    return context.run([](SparsecContext *handle, int64_t) -> int32_t { return sparsec_frame(handle, 1) == nullptr; },
                       Batch(), 3);
  });
  EXPECT_EQ(status.message(), "step 3: nothing was prepared for it");
}

} // namespace
} // namespace sparsec::test
