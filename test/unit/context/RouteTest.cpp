// Routed and received ids, layout and all; ids that should not be there; unique ids.
#include "Flow.h"

namespace sparsec::test {
namespace {

template <typename T> std::vector<T> list(const T *values, int64_t n) { return std::vector<T>(values, values + n); }

/// Two features of a row-wise table of 10 rows on 2 shards, one of a table on shard 1.
World smallWorld() {
  World world;
  world.program.mesh = {1, 1, 2};
  world.addTable(10, 2, {wholePart(2, 0, 2)});
  world.addTable(6, 2, {wholePart(2, 1, 1)});
  world.addFeature(0, 5);
  world.addFeature(1, 5, true);
  world.bags = {{{{1, 7}, {1, 1}}, {{3}, {1}}, {{9, 5, 0, 9}, {1, 1, 1, 1}}},
                {{{4}, {0.5f}}, {{}, {}}, {{5, 5}, {2, 3}}}};
  return world;
}

TEST(Route, IdsGoToTheirOwnersInOrder) {
  World world = smallWorld();
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    Flow flow(world, context, handle);
    if (int32_t failed = flow.forward())
      return failed;
    const SparsecJagged &routed = *flow.routed, &received = *flow.received;
    if (context.rank() == 0) { // samples 0 and 1
      EXPECT_EQ(routed.sources, 2);
      EXPECT_EQ(routed.items, -1);
      EXPECT_EQ(list(routed.bag_start, 4), (std::vector<int64_t>{0, 2, 4, 6}));
      EXPECT_EQ(list(routed.offsets, 7), (std::vector<int64_t>{0, 1, 2, 3, 3, 4, 4}));
      EXPECT_EQ(list(routed.values, 4), (std::vector<int64_t>{1, 3, 7, 4}));
      EXPECT_EQ(list(routed.weights, 4), (std::vector<float>{1, 1, 1, 0.5f}));
      EXPECT_EQ(received.items, 1);
      EXPECT_EQ(list(received.bag_start, 3), (std::vector<int64_t>{0, 2, 3}));
      EXPECT_EQ(list(received.offsets, 4), (std::vector<int64_t>{0, 1, 2, 3}));
      EXPECT_EQ(list(received.values, 3), (std::vector<int64_t>{1, 3, 0}));
    } else { // sample 2; owns rows 5 ... 9 and the other table
      EXPECT_EQ(received.items, 2);
      EXPECT_EQ(list(received.bag_start, 5), (std::vector<int64_t>{0, 2, 4, 5, 6}));
      EXPECT_EQ(list(received.offsets, 7), (std::vector<int64_t>{0, 1, 1, 2, 2, 5, 7}));
      EXPECT_EQ(list(received.values, 7), (std::vector<int64_t>{7, 4, 9, 5, 9, 5, 5}));
      EXPECT_EQ(list(received.weights, 7), (std::vector<float>{1, 0.5f, 1, 1, 1, 2, 3}));
    }
    // Two floats a bag: rank 0 asks for 2 bags of each item, rank 1 for 1.
    EXPECT_EQ(flow.toAsker, context.rank() == 0 ? (std::vector<int64_t>{4, 2}) : (std::vector<int64_t>{8, 4}));
    EXPECT_EQ(flow.fromOwner, context.rank() == 0 ? (std::vector<int64_t>{4, 8}) : (std::vector<int64_t>{2, 4}));
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Route, HostileIdsAreAnError) {
  for (int64_t id : {int64_t(10), int64_t(-1), INT64_MIN, INT64_MAX}) {
    World world = smallWorld();
    world.bags[0][1].ids[0] = id;
    Status status =
        world.run([&](Context &context, SparsecContext *handle) { return Flow(world, context, handle).forward(); });
    EXPECT_NE(status.message().find("table `t0`: expected ids in [0, 10), but got " + std::to_string(id) +
                                    " at position 2 of the ids of lookup 0"),
              std::string::npos)
        << status.message();
  }
}

TEST(Lookup, HostileIdsOfALocalTableAreAnError) {
  for (int64_t id : {int64_t(4), int64_t(-1), INT64_MIN, INT64_MAX}) {
    World world;
    world.addTable(4, 3, {replicatedPart(3)});
    world.addFeature(0, 1);
    world.bags = {{{{3}, {1}}, {{id}, {1}}}};
    Status status =
        world.run([&](Context &context, SparsecContext *handle) { return Flow(world, context, handle).forward(); });
    EXPECT_NE(status.message().find("table `t0`: rank 0 holds rows [0, 4), but was asked for others"),
              std::string::npos)
        << status.message();
    status = world.run([&](Context &context, SparsecContext *handle) {
      std::vector<float> gradient(6);
      SparsecUpdate update{
          world.kernels(3).sgd, 0, 0, 0,
          sparsec_row_gradients_local(handle, 0, 0, sparsec_ids(handle, 0), onEngine(handle, gradient))};
      return sparsec_update(handle, &update, 1, 1, 1, 1);
    });
    EXPECT_NE(status.message().find("table `t0`, part 0, rank 0: a row gradient is of a row that is not here"),
              std::string::npos)
        << status.message();
  }
}

TEST(Route, ItemsOutsideTheAxesAreAnError) {
  World world = smallWorld();
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    Flow flow(world, context, handle);
    flow.items[1].first = 2;
    return flow.forward();
  });
  EXPECT_NE(status.message().find("item 1 of an exchange over 2 ranks: owners 2 + 1"), std::string::npos)
      << status.message();
}

TEST(Unique, PlacesAndValues) {
  World world;
  world.addTable(100, 1, {replicatedPart(1)});
  world.addFeature(0, 4, true);
  world.bags = {{{{42, 7, 42}, {1, 2, 3}}, {{}, {}}, {{99, 7}, {4, 5}}}};
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    const SparsecJagged *ids = sparsec_ids(handle, 0), *unique = nullptr, *at = nullptr;
    if (int32_t failed = sparsec_unique(handle, ids, &unique, &at))
      return failed;
    EXPECT_EQ(unique->bags, 3);
    EXPECT_EQ(list(unique->bag_start, 2), (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(list(unique->offsets, 4), (std::vector<int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(list(unique->values, 3), (std::vector<int64_t>{7, 42, 99}));
    EXPECT_EQ(unique->weights, nullptr);
    EXPECT_EQ(list(at->offsets, 4), (std::vector<int64_t>{0, 3, 3, 5}));
    EXPECT_EQ(list(at->values, 5), (std::vector<int64_t>{1, 0, 1, 2, 0}));
    EXPECT_EQ(list(at->weights, 5), (std::vector<float>{1, 2, 3, 4, 5}));
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Unique, OfNothing) {
  World world;
  world.addTable(100, 1, {replicatedPart(1)});
  world.addFeature(0, 4);
  world.fill(0, 1);
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    const SparsecJagged *unique = nullptr, *at = nullptr;
    if (int32_t failed = sparsec_unique(handle, sparsec_ids(handle, 0), &unique, &at))
      return failed;
    EXPECT_EQ(unique->bags, 0);
    EXPECT_EQ(unique->offsets[0], 0);
    EXPECT_EQ(at->bags, 0);
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

} // namespace
} // namespace sparsec::test
