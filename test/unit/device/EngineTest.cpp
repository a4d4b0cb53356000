// What the engine of a device does beside lookups and updates: inputs, memory, launches, losses, outputs, collectives.
#include "DeviceWorld.h"
#include "context/Handle.h"
#include "device/DeviceEngine.h"
#include "sparsec/device.h"
#include <cmath>

namespace sparsec::test {
namespace {

World ranks(Mesh mesh) {
  World world;
  world.program.mesh = mesh;
  world.program.tasks.resize(1);
  return world;
}

/// Runs `steps` steps of one rank on a device, each with the batch that `batchOf` makes.
Status runSteps(const World &world, int64_t steps, const std::function<Batch(int64_t)> &batchOf,
                const World::Body &body, const std::function<void(Context &)> &after = {}) {
  return runInProcess(1, [&](Communicator &all) -> Status {
    auto axes = AxisCommunicators::create(all, world.program.mesh);
    ThreadPool pool(1);
    Gemm gemm(pool);
    auto context = Context::create({&world.program, &*axes, &pool, &gemm}, 0);
    if (Status status = startDevice(**context, {EmulationOrder::random, 3}); !status)
      return status;
    for (int64_t step = 1; step <= steps; ++step) {
      Batch batch = batchOf(step);
      if (Status status = World::runBody(**context, batch, step, body); !status)
        return status;
    }
    if (after)
      after(**context);
    return {};
  });
}

TEST(DeviceEngine, ALossThatIsNotFiniteStopsAllAtTheEndOfTheStep) {
  World world = ranks({1, 1, 2});
  std::vector<std::string> all(2);
  (void)world.run(
      [&](Context &context, SparsecContext *handle) {
        EXPECT_EQ(sparsec_report_loss(handle, onEngine(handle, {NAN})), 0);
        EXPECT_FALSE(context.hasLoss());
        return 0;
      },
      [&](Context &context) { all[context.rank()] = context.status().message(); });
  for (const std::string &message : all)
    EXPECT_EQ(message,
              "step 1: the loss is nan in batch 1 of epoch 1; all weights are finite; the learning rate may be "
              "too large");
}

TEST(DeviceEngine, InputsGoInAndOutputsComeOut) {
  World world = ranks({});
  std::vector<float> first;
  Status status = runSteps(
      world, 5,
      [](int64_t step) {
        Batch batch;
        batch.samples = step;
        for (int64_t i = 0; i < step; ++i)
          batch.inputs.resize(1), batch.inputs[0].push(float(10 * step + i));
        batch.labels.resize(1);
        return batch;
      },
      [&](Context &context, SparsecContext *handle) {
        const float *x = sparsec_input(handle, 0);
        EXPECT_EQ(sparsec_input(handle, 0), x);
        EXPECT_EQ(sparsec_input(handle, 1), nullptr);
        EXPECT_EQ(sparsec_label(handle, 0), nullptr); // labels are not read
        auto *y = static_cast<float *>(sparsec_arena(handle, 64));
        int64_t n = sparsec_batch_size(handle);
        int32_t status = sparsec_gemm(handle, 0, n, 1, 1, x, onEngine(handle, {2}), nullptr, y);
        sparsec_output(handle, 0, y, n);
        return status ? status : sparsec_report_loss(handle, y);
      },
      [](Context &context) {
        EXPECT_EQ(context.loss(), 100);
        std::span<const float> values = context.output(0);
        EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{100, 102, 104, 106, 108}));
        EXPECT_GT(context.memory().arena, 0);
      });
  EXPECT_TRUE(status.ok()) << status.message();
}

/// What follows a product is memory of the device, too.
TEST(DeviceEngine, ProductsOfAGradient) {
  World world = ranks({});
  Status status = world.run([&](Context &context, SparsecContext *handle) -> int32_t {
    float *g = onEngine(handle, {1, 2, 3, 4}), *w = onEngine(handle, {1, 10, 100, 1000}),
          *y = onEngine(handle, {1, 0, -1, 2}), *sums = onEngine(handle, {0, 0}), *c = onEngine(handle, {0, 0, 0, 0}),
          *masked = onEngine(handle, {0, 0, 0, 0});
    if (sparsec_gemm(handle, SPARSEC_GEMM_TRANSPOSE_A | SPARSEC_GEMM_SUMS, 2, 2, 2, g, w, sums, c) ||
        sparsec_gemm(handle, SPARSEC_GEMM_RELU_GRADIENT, 2, 2, 2, g, w, y, masked))
      return 1;
    EXPECT_EQ(fromEngine(world, context, c, 4), (std::vector<float>{301, 3010, 402, 4020}));
    EXPECT_EQ(fromEngine(world, context, sums, 2), (std::vector<float>{4, 6}));
    EXPECT_EQ(fromEngine(world, context, masked, 4), (std::vector<float>{201, 0, 0, 4030}));
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(DeviceEngine, BagsAreCopiedOnceInAStep) {
  World world = ranks({});
  world.addTable(10, 2, {replicatedPart(2)});
  world.addFeature(0, 4, true);
  world.bags = {{{{1, 2}, {1, 2}}, {{}, {}}, {{3}, {4}}}};
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    const SparsecJagged *ids = sparsec_ids(handle, 0), *there = sparsec_on_device(handle, ids);
    EXPECT_EQ(sparsec_on_device(handle, ids), there);
    EXPECT_NE(there->values, ids->values);
    EXPECT_EQ(there->counts, nullptr);
    // A launch sends them; an empty copy is one.
    SparsecCopyEntry *none = nullptr;
    int64_t arguments[3] = {int64_t(none), 0, 0};
    EXPECT_EQ(sparsec_launch(handle, generalKernels()[SPARSEC_KERNEL_COPY_ROWS], 0, arguments), 0);
    EXPECT_TRUE(settleDevice(context).ok());
    EXPECT_EQ((std::vector<int64_t>{there->offsets, there->offsets + 4}), (std::vector<int64_t>{0, 2, 2, 3}));
    EXPECT_EQ((std::vector<int64_t>{there->values, there->values + 3}), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ((std::vector<float>{there->weights, there->weights + 3}), (std::vector<float>{1, 2, 4}));
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(DeviceEngine, CollectivesStartedTogether) {
  for (int orders = 0; orders < 6; ++orders) {
    World world = ranks({1, 1, 3});
    Status status = world.run([&](Context &context, SparsecContext *handle) -> int32_t {
      int64_t rank = context.rank(), one = 0, two = 0;
      std::vector<float> ten;
      for (int64_t r = 0; r < 3; ++r)
        ten.push_back(float(10 * rank + r));
      float *send = onEngine(handle, ten), *receive = onEngine(handle, {0, 0, 0}), *sum = onEngine(handle, {0}),
            *twice = onEngine(handle, {0});
      int64_t counts[3] = {1, 1, 1};
      // What is sent is made by work before, and read by work behind.
      float *number = onEngine(handle, {float(rank + 1)}), *unit = onEngine(handle, {1});
      if (sparsec_gemm(handle, 0, 1, 1, 1, number, unit, nullptr, sum) ||
          sparsec_exchange_start(handle, 7, send, counts, receive, counts, &one) ||
          sparsec_all_reduce_start(handle, 7, sum, 1, &two) || sparsec_wait(handle, one) || sparsec_wait(handle, two) ||
          sparsec_gemm(handle, 0, 1, 1, 1, sum, onEngine(handle, {2}), nullptr, twice) ||
          sparsec_all_reduce(handle, 7, unit, 1))
        return 1;
      EXPECT_EQ(fromEngine(world, context, twice, 1), std::vector<float>{12});
      EXPECT_EQ(fromEngine(world, context, unit, 1), std::vector<float>{3});
      EXPECT_EQ(fromEngine(world, context, receive, 3),
                (std::vector<float>{float(rank), float(10 + rank), float(20 + rank)}));
      return 0;
    });
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

/// What one rank of a program on `backend` says when it starts, or the first step's loss.
std::vector<std::string> startOn(Mesh mesh, const std::function<SparsecBackend(int)> &backend) {
  std::vector<std::string> all(mesh.ranks());
  Program program;
  program.mesh = mesh;
  (void)runInProcess(int(mesh.ranks()), [&](Communicator &world) -> Status {
    auto axes = AxisCommunicators::create(world, mesh);
    ThreadPool pool(1);
    Gemm gemm(pool);
    auto context = Context::create({&program, &*axes, &pool, &gemm}, world.rank());
    SparsecProgramImage image{};
    image.backend = backend(world.rank());
    image.kernels = generalKernels();
    Status status = (*context)->startDevice(image);
    if (status) {
      Batch batch;
      status = World::runBody(**context, batch, 1, [](Context &context, SparsecContext *handle) {
        int32_t failed = sparsec_report_loss(handle, onEngine(handle, {0.5f}));
        EXPECT_FALSE(context.hasLoss()); // not before the end of the step
        return failed;
      });
      EXPECT_EQ((*context)->loss(), 0.5f);
    }
    all[world.rank()] = status.message();
    return status;
  });
  return all;
}

TEST(Backend, IsNamedByTheProgramImage) {
  auto all = startOn({1, 1, 2}, [](int) { return sparsec_backend_emulated; });
  EXPECT_EQ(all, (std::vector<std::string>{"", ""}));
}

TEST(Backend, ARankWithoutADeviceStopsAll) {
  SparsecBackend none = [](SparsecContext *handle, const SparsecProgramImage *image) -> int32_t {
    return guarded(handle, [&](Context &context) {
      return DeviceEngine::create(context, Status::error("no driver"), image->kernels).status();
    });
  };
  for (const std::string &message :
       startOn({1, 1, 2}, [=](int rank) { return rank == 1 ? none : sparsec_backend_emulated; }))
    EXPECT_EQ(message, "no driver (on rank 1)");
}

/// Once the largest batch was there, pools hold what a step needs.
TEST(DeviceEngine, MemoryStopsGrowing) {
  World world = ranks({});
  world.addTable(100, 16, {replicatedPart(16)});
  world.addFeature(0, 40);
  world.fill(300, 5);
  std::vector<int64_t> held;
  Status status = runSteps(
      world, 5, [&](int64_t) { return world.batchOf(0); },
      [&](Context &context, SparsecContext *handle) {
        held.push_back(context.memory().raggedReserved);
        float *out = onEngine(handle, std::vector<float>(300 * 16));
        const SparsecJagged *ids = sparsec_ids(handle, 0);
        SparsecLocalItem item{world.kernels(16).lookup, 0, 0, ids, out};
        SparsecUpdate update{world.kernels(16).sgd, 0, 0, 0, sparsec_row_gradients_local(handle, 0, 0, ids, out)};
        int32_t failed = sparsec_lookup_local(handle, &item, 1);
        return failed ? failed : sparsec_update(handle, &update, 1, 0.01f, 1, 1);
      });
  EXPECT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(held.size(), 5u);
  EXPECT_GT(held[2], int64_t(1) << 16);
  EXPECT_EQ(held[3], held[2]);
  EXPECT_EQ(held[4], held[2]);
}

TEST(DeviceEngine, TablesGoOverAndBack) {
  World world = ranks({});
  world.addTable(7, 3, {replicatedPart(3)}, true);
  world.program.params.push_back({"layer/w", {2, 2}, {"constant", 0.5, {}}, {"m", {}, {{"m", false, 0.125}}}});
  Status status = world.run(
      [](Context &context, SparsecContext *handle) {
        const SparsecPart *there = sparsec_part(handle, 0, 0), *here = context.tables().part(0, 0);
        float *weight = sparsec_param(handle, 0, 0), *state = sparsec_param(handle, 0, 1);
        EXPECT_EQ(sparsec_part(handle, 0, 1), nullptr);
        EXPECT_EQ(sparsec_part(handle, 1, 0), nullptr);
        EXPECT_EQ(sparsec_param(handle, 0, 2), nullptr);
        EXPECT_NE(there->field[0], here->field[0]);
        EXPECT_TRUE(std::equal(here->field[0], here->field[0] + 21, there->field[0]));
        EXPECT_EQ(there->field[1][6], 0.25f);
        EXPECT_EQ(weight[3], 0.5f);
        EXPECT_EQ(state[3], 0.125f);
        there->field[0][20] = there->field[1][6] = weight[3] = state[3] = 7;
        return 0;
      },
      [](Context &context) {
        const SparsecPart *here = context.tables().part(0, 0);
        EXPECT_EQ(here->field[0][20], 7);
        EXPECT_EQ(here->field[1][6], 7);
        EXPECT_EQ(context.tables().param(0, 0)[3], 7);
        EXPECT_EQ(context.tables().param(0, 1)[3], 7);
      });
  EXPECT_TRUE(status.ok()) << status.message();
}

/// A kernel at fault stops all ranks with what the emulator says of it, at the end of the step.
TEST(DeviceEngine, AFaultOfAKernelIsTheErrorOfTheStep) {
  World world = ranks({1, 1, 2});
  std::vector<std::string> all(2);
  (void)world.run(
      [&](Context &context, SparsecContext *handle) -> int32_t {
        if (context.rank() == 1)
          return 0;
        float host = 0; // the list is not memory of the device
        int64_t arguments[3] = {int64_t(&host), 1, 1};
        return sparsec_launch(handle, generalKernels()[SPARSEC_KERNEL_COPY_ROWS], 1, arguments);
      },
      [&](Context &context) { all[context.rank()] = context.status().message(); });
  EXPECT_NE(all[0].find("kernel `copy_rows`"), std::string::npos) << all[0];
}

TEST(DeviceEngine, AKernelThatTakesOtherArgumentsIsAnError) {
  World world = ranks({});
  world.addTable(10, 2, {replicatedPart(2)});
  world.addFeature(0, 4);
  world.fill(3, 1);
  Status status = world.run([&](Context &, SparsecContext *handle) {
    float *out = onEngine(handle, std::vector<float>(6));
    SparsecLocalItem item{{}, 0, 0, sparsec_ids(handle, 0), out};
    item.kernel.device = generalKernels()[SPARSEC_KERNEL_ROW_KEYS];
    return sparsec_lookup_local(handle, &item, 1);
  });
  EXPECT_NE(status.message().find("kernel `row_keys` takes 7 arguments"), std::string::npos) << status.message();
}

} // namespace
} // namespace sparsec::test
