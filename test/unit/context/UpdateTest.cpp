// Optimizer steps: one for each touched row, however often it occurs and wherever.
#include "Flow.h"
#include <cmath>

namespace sparsec::test {
namespace {

std::vector<float> weightsOf(const Context &context, int field = 0) {
  std::vector<float> all;
  for (const HeldPart &held : context.tables().parts())
    all.insert(all.end(), held.place.field[field],
               held.place.field[field] + held.place.rows * (field ? 1 : held.place.dim));
  return all;
}

std::vector<float> gradientOf(int64_t bags, int64_t dim) {
  std::vector<float> gradient(bags * dim);
  for (size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = float(int(i * 2654435761u >> 20 & 1023) - 512) / 1000;
  return gradient;
}

/// One rank, one replicated table; `length` ids in each bag, most of them row 1.
World skewedWorld(int64_t rows, int64_t dim, int64_t bags, int64_t length) {
  World world;
  world.addTable(rows, dim, {replicatedPart(dim)}, true);
  world.addFeature(0, length, true);
  world.bags.resize(1);
  for (int64_t b = 0; b < bags; ++b) {
    Bag &bag = world.bags[0].emplace_back();
    for (int64_t i = 0; i < length; ++i) {
      bag.ids.push_back((b + i) % 3 == 0 ? (b * 7 + i) % rows : 1);
      bag.weights.push_back(float(1 + i % 4) / 4);
    }
  }
  return world;
}

class DimTest : public testing::TestWithParam<int64_t> {};

TEST_P(DimTest, AManyTimesRepeatedRowStepsOnce) {
  int64_t dim = GetParam(), rows = 20, bags = 3000, length = 5; // row 1 occurs 10000 times
  World world = skewedWorld(rows, dim, bags, length);
  std::vector<float> gradient = gradientOf(bags, dim), before;
  std::vector<float> first;
  for (int threads : {1, 3}) {
    world.threads = threads;
    std::vector<float> after, state;
    Status status = world.run(
        [&](Context &context, SparsecContext *handle) {
          before = weightsOf(context);
          SparsecUpdate update{
              world.kernels(dim).adagrad, 0, 0, 0,
              sparsec_row_gradients_local(handle, 0, 0, sparsec_ids(handle, 0), onEngine(handle, gradient))};
          return sparsec_update(handle, &update, 1, 0.5f, 2, 1);
        },
        [&](Context &context) {
          after = weightsOf(context);
          state = weightsOf(context, 1);
        });
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<double> sum(rows * dim), touched(rows);
    for (int64_t b = 0; b < bags; ++b)
      for (size_t i = 0; i < world.bags[0][b].ids.size(); ++i) {
        touched[world.bags[0][b].ids[i]] = 1;
        for (int64_t c = 0; c < dim; ++c)
          sum[world.bags[0][b].ids[i] * dim + c] += double(world.bags[0][b].weights[i]) * gradient[b * dim + c];
      }
    for (int64_t row = 0; row < rows; ++row) {
      double v = 0.25;
      for (int64_t c = 0; c < dim; ++c)
        v += 4 * sum[row * dim + c] * sum[row * dim + c] / dim;
      EXPECT_NEAR(state[row], touched[row] ? v : 0.25, 1e-3 * v) << row;
      for (int64_t c = 0; c < dim; ++c)
        EXPECT_NEAR(after[row * dim + c], before[row * dim + c] - 0.5 * 2 * sum[row * dim + c] / (std::sqrt(v) + 1e-4),
                    2e-3)
            << row;
    }
    if (first.empty())
      first = after;
    EXPECT_EQ(first, after) << "threads change bits";
  }
}

INSTANTIATE_TEST_SUITE_P(Dims, DimTest, testing::Values(1, 3, 16, 128));

/// The rows of four replicas, reduced and updated, are those of one rank with the whole batch.
TEST(Update, ReplicasAreOneRank) {
  auto tablesOf = [](Mesh mesh, int64_t rank) {
    World world;
    world.program.mesh = mesh;
    world.addTable(11, 3, {replicatedPart(3)}, true);
    world.addTable(200, 3, {wholePart(3, 0, mesh.shards)}, true);
    world.addFeature(0, 3);
    world.addFeature(1, 6, true);
    world.addFeature(1, 2);
    world.fill(26, 3);
    std::vector<float> result(200 * 3 + 11 * 3);
    Status status = world.run(
        [&](Context &context, SparsecContext *handle) {
          Flow flow(world, context, handle);
          flow.adagrad = true;
          if (int32_t failed = flow.forward())
            return failed;
          std::vector<std::vector<float>> gradient;
          for (size_t f = 0; f < 3; ++f) {
            std::vector<float> whole = gradientOf(26, 3);
            int64_t low = world.firstSample(context.rank()), high = world.firstSample(context.rank() + 1);
            gradient.emplace_back(whole.begin() + low * 3, whole.begin() + high * 3);
          }
          return flow.backward(gradient, 0.1f);
        },
        [&](Context &context) {
          if (context.rank() / mesh.groupSize() != rank)
            return;
          bool firstOfGroup = context.rank() % mesh.groupSize() == 0; // it alone tells of the table that all have
          for (const HeldPart &held : context.tables().parts())
            if (held.table == 1 || firstOfGroup)
              std::copy_n(held.place.field[0], held.place.rows * 3,
                          result.begin() + (held.table == 0 ? 0 : 33 + held.place.row0 * 3));
        });
    EXPECT_TRUE(status.ok()) << status.message();
    return result;
  };
  std::vector<float> one = tablesOf({1, 1, 1}, 0);
  for (Mesh mesh : {Mesh{1, 1, 2}, Mesh{2, 1, 1}, Mesh{4, 1, 1}, Mesh{2, 1, 2}, Mesh{3, 1, 1}}) {
    std::vector<float> first = tablesOf(mesh, 0), last = tablesOf(mesh, mesh.groups - 1);
    EXPECT_EQ(first, last) << "replicas differ";
    for (size_t i = 0; i < one.size(); ++i)
      ASSERT_NEAR(first[i], one[i], 3e-6) << i;
  }
}

/// A sweep steps rows that no segment has, also where there are no segments at all.
TEST(Update, SweepWithNothingTouched) {
  World world;
  world.addTable(5000, 16, {replicatedPart(16)});
  world.addFeature(0, 3);
  world.fill(0, 1);
  std::vector<float> before, after;
  Status status = world.run(
      [&](Context &context, SparsecContext *handle) {
        before = weightsOf(context);
        SparsecUpdate update{world.kernels(16).sweep, 0, 0, 1,
                             sparsec_row_gradients_local(handle, 0, 0, sparsec_ids(handle, 0), nullptr)};
        return sparsec_update(handle, &update, 1, 0.5f, 1, 1);
      },
      [&](Context &context) { after = weightsOf(context); });
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(after[i], before[i] - 0.5f * (before[i] / 8)) << i;
}

TEST(Update, DuplicatesAreAddedInTheOrderOfTheLists) {
  // Row 0 gets 1e8, 1 and -1e8: in float, only this order gives 0, the joined order b, a gives 1.
  World world;
  world.addTable(1, 1, {replicatedPart(1)});
  world.addFeature(0, 3);
  world.bags = {{{{0}, {1}}}};
  for (bool swapped : {false, true}) {
    float before = 0, after = 0;
    Status status = world.run(
        [&](Context &context, SparsecContext *handle) {
          before = weightsOf(context)[0];
          const float *big = onEngine(handle, {1e8f}), *one = onEngine(handle, {1}), *minus = onEngine(handle, {-1e8f});
          const SparsecJagged *ids = sparsec_ids(handle, 0);
          SparsecRows *rows[3] = {sparsec_row_gradients_local(handle, 0, 0, ids, big),
                                  sparsec_row_gradients_local(handle, 0, 0, ids, swapped ? minus : one),
                                  sparsec_row_gradients_local(handle, 0, 0, ids, swapped ? one : minus)};
          SparsecUpdate update{world.kernels(1).sgd, 0, 0, 0, sparsec_rows_join(handle, rows, 3)};
          return sparsec_update(handle, &update, 1, 1, 1, 1);
        },
        [&](Context &context) { after = weightsOf(context)[0]; });
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(after, swapped ? before - 1 : before);
  }
}

TEST(Update, MistakesAreErrors) {
  World world;
  world.addTable(4, 1, {replicatedPart(1)});
  world.addTable(4, 1, {replicatedPart(1)});
  world.addFeature(0, 3);
  world.fill(4, 1);
  auto failure = [&](bool null) {
    return world
        .run([&](Context &, SparsecContext *handle) {
          SparsecRows *rows = sparsec_row_gradients_local(handle, 0, 0, sparsec_ids(handle, 0),
                                                          onEngine(handle, std::vector<float>(4)));
          SparsecUpdate update{world.kernels(1).sgd, 1, 0, 0, null ? nullptr : rows};
          return sparsec_update(handle, &update, 1, 1, 1, 1);
        })
        .message();
  };
  EXPECT_NE(failure(true).find("table `t1`, part 0, rank 0: no row gradients"), std::string::npos) << failure(true);
  EXPECT_NE(failure(false).find("table `t1`, part 0, rank 0: the row gradients are of another table"),
            std::string::npos)
      << failure(false);
}

} // namespace
} // namespace sparsec::test
