// Rows that go back in two steps, inside the node of their owners and then between nodes: counts, sums and their
// adjoint against plain loops, and the same bits as in one step.
#include "Flow.h"

namespace sparsec::test {
namespace {

/// Tables on node 1, on node 0, and with columns on both; some ranks may get fewer samples, or none.
World worldOf(Mesh mesh, int64_t batch) {
  World world;
  world.program.mesh = mesh;
  world.program.seed = 5;
  int64_t s = mesh.shards;
  world.addTable(10, 3, {wholePart(3, s, s)});
  world.addTable(5, 8, {wholePart(8, 0, s)});
  world.addTable(37, 3, {{0, 1, false, s, s}, {1, 2, false, 0, s}});
  for (int64_t f : {0, 1, 2, 0})
    world.addFeature(f, 5, f == 1);
  world.fill(batch, 17);
  return world;
}

struct Case {
  Mesh mesh;
  int64_t batch;
};
const Case cases[] = {{{1, 2, 2}, 13}, {{2, 2, 2}, 5}, {{2, 2, 2}, 29}, {{1, 3, 2}, 8}, {{1, 2, 3}, 7}, {{1, 2, 2}, 0}};

/// Rank (node, shard) of the group that `rank` is in.
int64_t rankAt(const Mesh &mesh, int64_t rank, int64_t node, int64_t shard) {
  return (rank / mesh.groupSize() * mesh.nodes + node) * mesh.shards + shard;
}

/// Floats that rank `asker` gets back from owners of node `node` if each sends once.
int64_t floatsFrom(const World &world, int64_t node, int64_t asker) {
  int64_t columns = 0;
  for (const Feature &feature : world.features)
    for (const TablePart &part : world.program.tables[feature.table].parts)
      columns += part.first == node * world.program.mesh.shards ? part.dim : 0;
  return columns * (world.firstSample(asker + 1) - world.firstSample(asker));
}

/// Runs `body(flow, rank)` after a forward part in two steps.
void inTwoSteps(const World &world, const std::function<void(Flow &, int64_t)> &body) {
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    Flow flow(world, context, handle, /*inNode=*/true);
    int32_t failed = flow.forward();
    if (!failed)
      body(flow, context.rank());
    return failed;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

/// Small integers, whose sums and products are exact.
std::vector<float> integers(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float &v : values)
    v = float(int(random() % 9) - 4);
  return values;
}

TEST(InNode, CountsAreThoseOfAPlainLoop) {
  for (const Case &c : cases) {
    World world = worldOf(c.mesh, c.batch);
    inTwoSteps(world, [&](Flow &flow, int64_t rank) {
      int64_t node = rank / c.mesh.shards % c.mesh.nodes, shard = rank % c.mesh.shards;
      std::vector<int64_t> gathered(c.mesh.shards, 0), sent, received; // for askers of each shard; with each node
      for (int64_t n = 0; n < c.mesh.nodes; ++n) {
        for (int64_t s = 0; s < c.mesh.shards; ++s)
          gathered[s] += floatsFrom(world, node, rankAt(c.mesh, rank, n, s));
        sent.push_back(floatsFrom(world, node, rankAt(c.mesh, rank, n, shard)));
        received.push_back(floatsFrom(world, n, rank));
      }
      EXPECT_EQ(flow.insideSend, gathered);
      EXPECT_EQ(flow.insideReceive, std::vector<int64_t>(c.mesh.shards, gathered[shard]));
      EXPECT_EQ(flow.acrossSend, sent);
      EXPECT_EQ(flow.acrossReceive, received);
    });
  }
}

TEST(InNode, OneNodeSendsEachSumOnceToAnother) {
  World world = worldOf({1, 2, 2}, 16);
  inTwoSteps(world, [&](Flow &flow, int64_t rank) {
    int64_t other = 1 - rank / 2;
    int64_t oneStep = flow.toAsker[2 * other] + flow.toAsker[2 * other + 1]; // 4 samples of each asker
    EXPECT_EQ(oneStep, 8 * (other == 0 ? 3 + 1 + 3 : 8 + 2));
    EXPECT_EQ(flow.acrossSend[other], oneStep / 2);
  });
}

TEST(InNode, SumsOwnersInOrder) {
  for (const Case &c : cases) {
    World world = worldOf(c.mesh, c.batch);
    inTwoSteps(world, [&](Flow &flow, int64_t rank) {
      int64_t floats = Flow::total(flow.acrossSend);
      std::mt19937 random(unsigned(rank) + 1);
      std::vector<float> rows(floats * c.mesh.shards), sums;
      for (float &v : rows)
        v = float(random()) / 3;
      sums = flow.sumInNode(rows);
      for (int64_t i = 0; i < floats; ++i) {
        float sum = 0;
        for (int64_t owner = 0; owner < c.mesh.shards; ++owner)
          sum += rows[owner * floats + i];
        ASSERT_EQ(sums[i], sum) << "rank " << rank << " float " << i << " of " << floats;
      }
    });
  }
}

/// <sum(x), y> = <x, copy(y)>
TEST(InNode, CopyIsTheAdjointOfSum) {
  for (const Case &c : cases) {
    World world = worldOf(c.mesh, c.batch);
    inTwoSteps(world, [&](Flow &flow, int64_t rank) {
      int64_t floats = Flow::total(flow.acrossSend);
      std::vector<float> x = integers(floats * c.mesh.shards, unsigned(rank) + 3), y = integers(floats, 11);
      std::vector<float> sum, copy;
      sum = flow.sumInNode(x);
      copy = flow.copyInNode(y);
      double left = 0, right = 0;
      for (int64_t i = 0; i < floats; ++i)
        left += double(sum[i]) * y[i];
      for (size_t i = 0; i < x.size(); ++i)
        right += double(x[i]) * copy[i];
      EXPECT_EQ(left, right);
    });
  }
}

/// Sums are made in the same order, wherever they are made.
TEST(InNode, SameBitsAsInOneStep) {
  for (const Case &c : cases) {
    World world = worldOf(c.mesh, c.batch);
    auto bits = [&](bool inNode) {
      std::vector<std::vector<float>> all(world.ranks());
      auto append = [&](Context &context, const float *values, int64_t n) {
        all[context.rank()].insert(all[context.rank()].end(), values, values + n);
      };
      Status status = world.run(
          [&](Context &context, SparsecContext *handle) {
            Flow flow(world, context, handle, inNode);
            if (int32_t failed = flow.forward())
              return failed;
            for (const auto &rows : flow.pooled)
              append(context, rows.data(), int64_t(rows.size()));
            return flow.backward(flow.pooled, 0.01f);
          },
          [&](Context &context) {
            for (const HeldPart &held : context.tables().parts())
              append(context, held.place.field[0], held.place.rows * held.place.dim);
          });
      EXPECT_TRUE(status.ok()) << status.message();
      return all;
    };
    EXPECT_EQ(bits(true), bits(false));
  }
}

TEST(InNode, OtherOwnersAreAnError) {
  auto failure = [](std::vector<TablePart> parts) {
    World world;
    world.program.mesh = {1, 2, 2};
    world.addTable(10, 3, std::move(parts));
    world.addFeature(0, 5);
    world.fill(9, 17);
    return world
        .run([&](Context &context, SparsecContext *handle) { return Flow(world, context, handle, true).forward(); })
        .message();
  };
  const std::string expected = "expected the 2 ranks of a node as owners, but got ";
  EXPECT_NE(failure({wholePart(3, 1, 2)}).find(expected + "1 + 2"), std::string::npos);
  EXPECT_NE(failure({wholePart(3, 2, 1)}).find(expected + "2 + 1"), std::string::npos);
  EXPECT_NE(failure({wholePart(3, 0, 4)}).find(expected + "0 + 4"), std::string::npos);
}

TEST(InNode, OtherAxesAreAnError) {
  World world = worldOf({2, 2, 2}, 9);
  Status status = world.run([&](Context &context, SparsecContext *handle) -> int32_t {
    int64_t counts[4] = {};
    return context.rank() == 0 ? sparsec_node_counts(handle, allAxes, counts, counts, counts, counts, counts, counts)
                               : 0;
  });
  EXPECT_NE(status.message().find("an exchange in two steps over 8 ranks: expected the 2 x 2 of a group"),
            std::string::npos)
      << status.message();
}

} // namespace
} // namespace sparsec::test
