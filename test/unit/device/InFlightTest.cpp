// Steps that are still under way while the host prepares the next: results, errors and memory are those of steps that
// are done one by one.
#include "DeviceWorld.h"
#include "context/Handle.h"
#include "device/DeviceEngine.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace sparsec::test {
namespace {

using Start = std::function<Status(int64_t step, float input, const World::Body &)>;
using Steps = std::function<void(Context &, const Start &start)>;

/// Ranks whose steps have one input. What they do comes from the device alone: its memory may be in use.
void onRanks(Mesh mesh, uint64_t seed, const Steps &steps) {
  Program program;
  program.mesh = mesh;
  program.tasks.resize(1);
  Status all = runInProcess(int(mesh.ranks()), [&](Communicator &world) -> Status {
    auto axes = AxisCommunicators::create(world, mesh);
    ThreadPool pool(1);
    Gemm gemm(pool);
    auto context = Context::create({&program, &*axes, &pool, &gemm}, world.rank());
    EmulationOrder order{seed % 3 == 0 ? EmulationOrder::reversed : EmulationOrder::random, seed};
    if (Status status = startDevice(**context, order); !status)
      return status;
    Batch batch;
    steps(**context, [&](int64_t step, float input, const World::Body &body) {
      batch.samples = 1;
      batch.batchIndex = step - 1;
      batch.inputs.resize(1);
      batch.inputs[0].resize(0);
      batch.inputs[0].push(input);
      thread_local std::function<int32_t(SparsecContext *)> entry;
      entry = [&](SparsecContext *handle) { return body(**context, handle); };
      Status status = (*context)->start([](SparsecContext *handle, int64_t) { return entry(handle); }, batch, step);
      batch.inputs[0][0] = -1; // the batch is not needed any more
      return status;
    });
    return {};
  });
  EXPECT_TRUE(all.ok()) << all.message();
}

/// The loss is a sum over ranks of the input times a weight, which each step doubles, scaled down by 1/2 again.
int32_t train(SparsecContext *handle, float *weight, float *scratch) {
  const float *x = sparsec_input(handle, 0);
  auto *loss = static_cast<float *>(sparsec_ragged(handle, 4));
  int32_t failed = sparsec_gemm(handle, 0, 1, 1, 1, x, weight, nullptr, loss);
  failed = failed ? failed : sparsec_all_reduce(handle, 7, loss, 1);
  failed = failed ? failed : sparsec_report_loss(handle, loss);
  sparsec_output(handle, 0, x, 1);
  failed = failed ? failed : sparsec_gemm(handle, 0, 1, 1, 1, weight, weight + 1, nullptr, scratch);
  failed = failed ? failed : sparsec_gemm(handle, 0, 1, 1, 1, scratch, weight + 2, nullptr, scratch + 1);
  return failed ? failed : sparsec_gemm(handle, 0, 1, 1, 1, scratch + 1, weight + 3, nullptr, weight);
}

struct Model {
  explicit Model(Context &context) : engine(static_cast<DeviceEngine &>(context.engine())) {}
  int32_t operator()(Context &, SparsecContext *handle) {
    auto *memory = static_cast<float *>(sparsec_arena(handle, 64));
    if (!weight)
      std::ranges::copy(std::array{1.0f, 2.0f, 0.5f, 2.0f}, memory);
    weight = memory;
    return train(handle, weight, weight + 4);
  }
  DeviceEngine &engine;
  float *weight = nullptr;
};

TEST(StepInFlight, ResultsAreThoseOfTheStepBefore) {
  for (uint64_t seed = 0; seed < 12; ++seed)
    onRanks({1, 1, 2}, seed, [](Context &context, const Start &start) {
      Model model(context);
      auto body = [&](Context &c, SparsecContext *handle) { return model(c, handle); };
      for (int64_t step = 1; step <= 12; ++step) {
        Status status = start(step, float(step), body);
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(context.engine().underWay(), step > 2);
        int64_t settled = context.settled();
        EXPECT_EQ(settled, step <= 2 ? step : step == 3 ? 0 : step - 1); // step 2 was settled before 3 began
        EXPECT_EQ(context.hasLoss(), settled > 0);
        if (settled == 0)
          continue;
        EXPECT_EQ(context.loss(), 2 * std::exp2(float(settled - 1)) * float(settled));
        EXPECT_EQ(context.output(0)[0], float(settled));
      }
      EXPECT_TRUE(context.settle().ok());
      EXPECT_EQ(context.settled(), 12);
      EXPECT_EQ(context.output(0)[0], 12);
      EXPECT_FALSE(context.engine().underWay());
      // What follows the message comes again every second step, with the same one of two sets.
      EXPECT_EQ(model.engine.graphs().captured, 2);
      EXPECT_EQ(model.engine.graphs().launched, 10);
    });
}

constexpr const char *nanOfStep4 =
    "step 4: the loss is nan in batch 4 of epoch 1; all weights are finite; the learning rate may be too large";

int32_t reportInput(SparsecContext *handle) { return sparsec_report_loss(handle, sparsec_input(handle, 0)); }

TEST(StepInFlight, ALossThatIsNotFiniteIsThatOfItsStep) {
  for (uint64_t seed = 0; seed < 6; ++seed)
    onRanks({1, 1, 2}, seed, [](Context &context, const Start &start) {
      Model model(context);
      auto body = [&](Context &c, SparsecContext *handle) { return model(c, handle); };
      for (int64_t step = 1; step <= 4; ++step)
        ASSERT_TRUE(start(step, step == 4 ? NAN : 1, body).ok());
      EXPECT_EQ(context.settled(), 3);
      EXPECT_EQ(start(5, 1, body).message(), nanOfStep4);
      EXPECT_TRUE(context.stoppedTogether());
      EXPECT_FALSE(context.engine().underWay());
      EXPECT_EQ(*model.weight, 16); // step 5 was not begun
    });
}

TEST(StepInFlight, TheErrorOfAnEarlierStepWins) {
  for (float loss : {NAN, 4.0f})
    onRanks({1, 1, 2}, 1, [=](Context &context, const Start &start) {
      auto body = [](Context &c, SparsecContext *handle) -> int32_t {
        if (c.step() == 5 && c.rank() == 1)
          return c.fail(Status::error("table `t`: broken"));
        return reportInput(handle);
      };
      for (int64_t step = 1; step <= 4; ++step)
        ASSERT_TRUE(start(step, step == 4 ? loss : 1, body).ok());
      Status status = start(5, 1, body);
      if (std::isnan(loss)) {
        EXPECT_EQ(status.message(), nanOfStep4);
      } else if (context.rank() == 1) {
        EXPECT_EQ(status.message(), "table `t`: broken");
        EXPECT_EQ(context.settled(), 4);
        EXPECT_EQ(context.loss(), 4);
      }
      EXPECT_EQ(context.engine().underWay(), status.ok());
    });
}

/// Memory that a step under way works in is not given back before it is done, and none is taken once pools are full.
TEST(StepInFlight, PoolsGrowBesideAStepUnderWay) {
  for (uint64_t seed = 0; seed < 6; ++seed)
    onRanks({}, seed, [](Context &context, const Start &start) {
      std::vector<int64_t> held;
      const float *before = nullptr;
      for (int64_t step = 1; step <= 12; ++step) {
        Status status = start(step, float(step), [&](Context &, SparsecContext *handle) -> int32_t {
          held.push_back(context.memory().raggedReserved);
          const float *x = sparsec_input(handle, 0);
          auto *from = static_cast<float *>(sparsec_arena(handle, step < 6 ? 64 : 4096));
          auto *large = static_cast<float *>(sparsec_ragged(handle, step < 6 ? 64 : 300000));
          if (step == 7) // the pool is one block from here on, and step 6 still works in those it had
            EXPECT_GE(std::abs(large - before), 75000);
          before = large;
          auto *larger = static_cast<float *>(sparsec_ragged(handle, step < 6 ? 64 : 300000));
          return sparsec_gemm(handle, 0, 1, 1, 1, x, x, nullptr, from) ||
                 sparsec_gemm(handle, 0, 1, 1, 1, from, x, nullptr, large) ||
                 sparsec_gemm(handle, 0, 1, 1, 1, large, x, nullptr, larger) || sparsec_report_loss(handle, larger);
        });
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(context.hasLoss(), context.settled() > 0);
        if (context.hasLoss())
          EXPECT_EQ(context.loss(), std::pow(float(context.settled()), 4.0f));
      }
      EXPECT_TRUE(context.settle().ok());
      EXPECT_GT(held[11], held[4]);
      EXPECT_EQ(held[11], held[8]);
    });
}

} // namespace
} // namespace sparsec::test
