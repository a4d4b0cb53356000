// A model's steps: those that are like earlier ones are graphs, those with other ids are not, and both are right.
#include "DeviceWorld.h"
#include "device/DeviceEngine.h"

namespace sparsec::test {
namespace {

World worldOf(int64_t samples, unsigned seed) {
  World world;
  world.addTable(50, 8, {replicatedPart(8)});
  world.addFeature(0, 6);
  world.fill(samples, seed);
  return world;
}

TEST(SteadySteps, AreGraphsUntilOtherIdsCome) {
  World often = worldOf(40, 1), once = worldOf(20, 2);
  Status status = runInProcess(1, [&](Communicator &all) -> Status {
    auto axes = AxisCommunicators::create(all, often.program.mesh);
    ThreadPool pool(1);
    Gemm gemm(pool);
    auto made = Context::create({&often.program, &*axes, &pool, &gemm}, 0);
    Context &context = **made;
    if (Status s = startDevice(context, {EmulationOrder::random, 7}); !s)
      return s;
    const float *table = context.tables().part(0, 0)->field[0];
    std::vector<float> expected(table, table + 50 * 8);
    auto body = [&](Context &, SparsecContext *handle) {
      const SparsecJagged *ids = sparsec_ids(handle, 0);
      auto *ones = static_cast<float *>(sparsec_arena(handle, 40 * 8 * 4));
      if (context.step() == 1)
        std::fill_n(ones, 40 * 8, 1.0f);
      SparsecUpdate update{often.kernels(8).sgd, 0, 0, 0, sparsec_row_gradients_local(handle, 0, 0, ids, ones)};
      return sparsec_update(handle, &update, 1, 0.25f, 1, 1);
    };
    auto launched = [&] { return context.engine().graphs().launched; };
    std::vector<int64_t> graphs;
    for (int64_t step = 1; step <= 13; ++step) {
      const World &world = step == 10 ? once : often;
      Batch batch = world.batchOf(0);
      thread_local std::function<int32_t(SparsecContext *)> entry;
      entry = [&](SparsecContext *handle) { return body(context, handle); };
      if (Status s = context.start([](SparsecContext *handle, int64_t) { return entry(handle); }, batch, step); !s)
        return s;
      graphs.push_back(launched());
      std::vector<float> times(50);
      for (const Bag &bag : world.bags[0])
        for (int64_t id : bag.ids)
          times[size_t(id)] += 1;
      for (size_t i = 0; i < expected.size(); ++i)
        expected[i] -= 0.25f * times[i / 8];
    }
    EXPECT_GT(graphs[8], 2);
    EXPECT_EQ(graphs[9], graphs[8]); // step 10
    EXPECT_EQ(graphs[12], graphs[9] + 3);
    EXPECT_TRUE(context.settle().ok() && context.engine().download().ok());
    EXPECT_EQ(std::vector<float>(table, table + expected.size()), expected);
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

} // namespace
} // namespace sparsec::test
