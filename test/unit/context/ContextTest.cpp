// Stops, results, memory and the small services.
#include "World.h"
#include "sparsec/Memory.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <latch>
#include <limits>
#include <stdexcept>

namespace sparsec::test {
namespace {

World ranks(Mesh mesh) {
  World world;
  world.program.mesh = mesh;
  world.program.tasks.resize(2);
  return world;
}

/// Runs one step on every rank; the status of each.
std::vector<std::string> statuses(World &world, const World::Body &body) {
  std::vector<std::string> result(world.ranks());
  (void)world.run(body, [&](Context &context) { result[context.rank()] = context.status().message(); });
  return result;
}

TEST(Stop, AllRanksHaveTheFirstRanksMessage) {
  World world = ranks({2, 1, 2});
  auto all = statuses(world, [&](Context &context, SparsecContext *handle) -> int32_t {
    int64_t status = 0, total = 0;
    if (context.rank() >= 2)
      status = context.fail(Status::error("data.tsv:7:2: not a number"));
    return sparsec_agree(handle, allAxes, status, 1, &total);
  });
  for (const std::string &message : all)
    EXPECT_EQ(message, "rank 2: data.tsv:7:2: not a number");
}

TEST(Stop, AgreementAddsSizes) {
  World world = ranks({1, 1, 3});
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    int64_t total = 0;
    int32_t failed = sparsec_agree(handle, 7, 0, context.rank() + 1, &total);
    EXPECT_EQ(total, 6);
    return failed;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Stop, AFailingRankLeavesNoneWaiting) {
  World world = ranks({1, 1, 3});
  world.comm.timeout = std::chrono::seconds(10);
  std::vector<std::string> all(3);
  std::latch stopped(3); // the failing rank stays: only Context::run can have told the others
  (void)world.run(
      [&](Context &context, SparsecContext *handle) -> int32_t {
        if (context.rank() == 1)
          return context.fail(Status::error("table `t`: broken"));
        float value = 1;
        return sparsec_all_reduce(handle, 7, &value, 1);
      },
      [&](Context &context) {
        all[context.rank()] = context.status().message();
        stopped.arrive_and_wait();
      });
  for (const std::string &message : all)
    EXPECT_NE(message.find("table `t`: broken"), std::string::npos) << message;
}

TEST(Stop, AStatusWithoutMessage) {
  World world = ranks({});
  EXPECT_EQ(statuses(world, [](Context &, SparsecContext *) { return 3; })[0], "step 1 stopped with status 3");
  EXPECT_EQ(world
                .run([](Context &context, SparsecContext *) {
                  context.fail(Status::error("first"));
                  return context.fail(Status::error("second"));
                })
                .message()
                .find("second"),
            std::string::npos);
}

TEST(Stop, UnreadBatch) {
  World world = ranks({});
  Status status = runInProcess(1, [&](Communicator &all) -> Status {
    auto axes = AxisCommunicators::create(all, world.program.mesh);
    ThreadPool pool(1);
    Gemm gemm(pool);
    auto context = Context::create({&world.program, &*axes, &pool, &gemm}, 0);
    Batch batch;
    batch.status = Status::error("day_0.tsv:3:1: expected 40 columns, but got 39");
    return World::runBody(**context, batch, 1, [](Context &, SparsecContext *handle) {
      int64_t total = 0;
      return sparsec_agree(handle, 7, sparsec_batch_status(handle), 0, &total);
    });
  });
  EXPECT_NE(status.message().find("day_0.tsv:3:1: expected 40 columns, but got 39"), std::string::npos);
  EXPECT_FALSE(Context::create({&world.program, nullptr, nullptr, nullptr}, 1).ok());
}

TEST(Results, LossAndOutputs) {
  World world = ranks({});
  Status status = world.run(
      [](Context &, SparsecContext *handle) {
        float values[3] = {1, 2, 3};
        sparsec_output(handle, 1, values, 3);
        sparsec_output(handle, 7, values, 3); // no such task
        float loss = 0.5f;
        return sparsec_report_loss(handle, &loss);
      },
      [](Context &context) {
        EXPECT_TRUE(context.hasLoss());
        EXPECT_EQ(context.loss(), 0.5f);
        EXPECT_TRUE(context.output(0).empty());
        ASSERT_EQ(context.output(1).size(), 3u);
        EXPECT_EQ(context.output(1)[2], 3);
        EXPECT_TRUE(context.output(7).empty());
      });
  EXPECT_TRUE(status.ok()) << status.message();
  for (float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    auto all = statuses(world, [&](Context &, SparsecContext *handle) { return sparsec_report_loss(handle, &bad); });
    EXPECT_EQ(all[0].substr(0, 20), "step 1: the loss is ");
  }
}

TEST(Transfers, StartedTogether) {
  World world = ranks({1, 1, 3});
  Status status = world.run([](Context &context, SparsecContext *handle) -> int32_t {
    int64_t rank = context.rank(), one = 0, two = 0;
    float send[3], receive[3] = {}, sum = float(rank + 1);
    for (int64_t r = 0; r < 3; ++r)
      send[r] = float(10 * rank + r);
    int64_t counts[3] = {1, 1, 1};
    if (int32_t failed = sparsec_exchange_start(handle, 7, send, counts, receive, counts, &one))
      return failed;
    if (int32_t failed = sparsec_all_reduce_start(handle, 7, &sum, 1, &two))
      return failed;
    if (int32_t failed = sparsec_wait(handle, one))
      return failed;
    if (int32_t failed = sparsec_wait(handle, two))
      return failed;
    EXPECT_EQ(sum, 6);
    for (int64_t r = 0; r < 3; ++r)
      EXPECT_EQ(receive[r], float(10 * r + rank));
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
  auto all = statuses(world, [](Context &, SparsecContext *handle) { return sparsec_wait(handle, 12345); });
  EXPECT_NE(all[0].find("no transfer 12345 to wait for"), std::string::npos);
}

TEST(Services, ParallelAndGemm) {
  World world = ranks({});
  world.threads = 3;
  Status status = world.run([](Context &, SparsecContext *handle) {
    std::atomic<int64_t> sum = 0;
    sparsec_parallel(
        handle,
        [](void *argument, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            *static_cast<std::atomic<int64_t> *>(argument) += i;
        },
        &sum, 1000, 7);
    EXPECT_EQ(sum, 499500);
    float a[2] = {1, 2}, b[2] = {3, -4}, bias[1] = {1}, c[1] = {};
    int32_t failed = sparsec_gemm(handle, 0, 1, 1, 2, a, b, bias, c);
    EXPECT_EQ(c[0], -4);
    return failed;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

/// Generated code cannot be unwound.
TEST(Services, WhatIsThrownBecomesTheStatus) {
  for (int threads : {1, 3}) {
    World world = ranks({1, 1, 2});
    world.threads = threads;
    auto all = statuses(world, [](Context &, SparsecContext *handle) noexcept -> int32_t {
      sparsec_parallel(
          handle, [](void *, int64_t, int64_t) { throw std::runtime_error("no such thing"); }, nullptr, 1000, 7);
      return 0;
    });
    for (const std::string &message : all)
      EXPECT_NE(message.find("step 1: no such thing"), std::string::npos) << message;
  }
}

TEST(RaggedPool, StopsAllocating) {
  RaggedPool pool;
  auto step = [&](int64_t n) {
    pool.reset();
    for (int64_t i = 0; i < n; ++i) {
      char *memory = pool.array<char>(1 + i * 1000);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      memory[0] = memory[i * 1000] = 1;
    }
  };
  step(200);
  step(200);
  int64_t made = pool.allocations();
  for (int64_t n : {200, 50, 0, 199, 200, 205})
    step(n);
  EXPECT_EQ(pool.allocations(), made);
  EXPECT_GE(pool.reserved(), pool.highWater());
  EXPECT_NE(pool.get(0), nullptr);
  EXPECT_NE(pool.get(0), pool.get(0));
  EXPECT_EQ(pool.get(-1), nullptr);
  EXPECT_EQ(pool.get(INT64_MAX), nullptr);
}

TEST(Arena, OneBlockAsLargeAsTheLargest) {
  Arena arena;
  void *first = arena.get(1000);
  EXPECT_EQ(arena.get(500), first);
  EXPECT_EQ(arena.get(1000), first);
  EXPECT_NE(arena.get(0), nullptr);
  EXPECT_NE(arena.get(100000), nullptr);
  EXPECT_EQ(arena.bytes(), 100000);
  EXPECT_EQ(arena.get(-1), nullptr);
}

} // namespace
} // namespace sparsec::test
