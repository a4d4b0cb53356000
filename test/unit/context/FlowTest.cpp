// Route, exchange, lookup, back, combine, and the way down again, on many meshes and shardings, against sums in double
// over whole tables.
#include "Flow.h"
#include "sparsec/InitialValue.h"

namespace sparsec::test {
namespace {

struct Setting {
  std::string name;
  Mesh mesh;
  std::vector<std::vector<TablePart>> (*parts)(int64_t dim);
  int64_t dim;
  int64_t batch;
  bool inNode = false;
};

std::vector<std::vector<TablePart>> onOneRank(int64_t dim) { return {{wholePart(dim, 0, 1)}, {replicatedPart(dim)}}; }
std::vector<std::vector<TablePart>> tableWise(int64_t dim) {
  return {{wholePart(dim, 0, 1)}, {wholePart(dim, 1, 1)}, {wholePart(dim, 1, 1)}};
}
std::vector<std::vector<TablePart>> rowWise2(int64_t dim) {
  return {{wholePart(dim, 0, 2)}, {wholePart(dim, 0, 2)}, {replicatedPart(dim)}};
}
std::vector<std::vector<TablePart>> rowWise3(int64_t dim) { return {{wholePart(dim, 0, 3)}, {wholePart(dim, 1, 2)}}; }
/// Four column parts on two ranks: each owns two parts of one table.
std::vector<std::vector<TablePart>> columnWise(int64_t dim) {
  int64_t q = dim / 4;
  return {{{0, q, false, 0, 1}, {q, q, false, 1, 1}, {2 * q, q, false, 0, 1}, {3 * q, q, false, 1, 1}},
          {wholePart(dim, 1, 1)}};
}
/// Rows inside a node, tables over nodes; and columns over nodes, rows inside them.
std::vector<std::vector<TablePart>> inNodes(int64_t dim) {
  int64_t h = dim / 2;
  return {{wholePart(dim, 2, 2)},
          {wholePart(dim, 0, 2)},
          {{0, h, false, 0, 2}, {h, h, false, 2, 2}},
          {wholePart(dim, 0, 4)}};
}

/// All owners are the ranks of one of two nodes of two.
std::vector<std::vector<TablePart>> nodes2x2(int64_t dim) {
  int64_t h = dim / 2;
  return {{wholePart(dim, 2, 2)}, {wholePart(dim, 0, 2)}, {{0, h, false, 2, 2}, {h, dim - h, false, 0, 2}}};
}
/// The same with three nodes of two, one without a table, and with two nodes of three.
std::vector<std::vector<TablePart>> nodes3x2(int64_t dim) { return {{wholePart(dim, 4, 2)}, {wholePart(dim, 0, 2)}}; }
std::vector<std::vector<TablePart>> nodes2x3(int64_t dim) { return {{wholePart(dim, 3, 3)}, {wholePart(dim, 0, 3)}}; }

World worldOf(const Setting &setting) {
  World world;
  world.program.mesh = setting.mesh;
  world.program.seed = 5;
  int64_t rows[] = {10, 5, 37, 1};
  auto tables = setting.parts(setting.dim);
  for (size_t t = 0; t < tables.size(); ++t)
    world.addTable(rows[t % 4], setting.dim, tables[t]);
  for (size_t t = 0; t < tables.size(); ++t) {
    world.addFeature(int64_t(t), 5, t == 0);
    if (t < 2)
      world.addFeature(int64_t(t), 3); // a second feature of the same table
  }
  world.fill(setting.batch, 17);
  return world;
}

std::vector<double> wholeTable(const Program &program, int64_t t) {
  const TableInfo &table = program.tables[t];
  InitialValue init(table.init, program.seed, "table/" + table.name + "/weight", table.dim);
  std::vector<float> values(table.rows * table.dim);
  for (int64_t row = 0; row < table.rows; ++row)
    init.fill(row, 0, table.dim, &values[row * table.dim]);
  return {values.begin(), values.end()};
}

float gradientAt(int64_t feature, int64_t sample, int64_t column) {
  return float((feature * 31 + sample * 7 + column * 3) % 13 - 6) / 4;
}

std::vector<std::vector<float>> gradientOf(const World &world, int64_t rank, const std::vector<int64_t> &dims) {
  std::vector<std::vector<float>> gradient;
  for (size_t f = 0; f < dims.size(); ++f) {
    auto &g = gradient.emplace_back();
    for (int64_t s = world.firstSample(rank); s < world.firstSample(rank + 1); ++s)
      for (int64_t c = 0; c < dims[f]; ++c)
        g.push_back(gradientAt(int64_t(f), s, c));
  }
  return gradient;
}

double pooledAt(const World &world, const std::vector<double> &table, int64_t dim, size_t f, int64_t sample,
                int64_t column) {
  const Bag &bag = world.bags[f][sample];
  double sum = 0;
  for (size_t i = 0; i < bag.ids.size(); ++i)
    sum += double(bag.weights[i]) * table[bag.ids[i] * dim + column];
  return sum;
}

void checkPooled(const World &world, const Flow &flow, int64_t rank) {
  for (size_t f = 0; f < world.features.size(); ++f) {
    std::vector<double> table = wholeTable(world.program, world.features[f].table);
    int64_t dim = flow.dims[f], first = world.firstSample(rank);
    for (int64_t b = 0; b < flow.ids[f]->bags; ++b)
      for (int64_t c = 0; c < dim; ++c)
        ASSERT_NEAR(flow.pooled[f][b * dim + c], pooledAt(world, table, dim, f, first + b, c), 2e-6)
            << "rank " << rank << " feature " << f << " bag " << b << " column " << c;
  }
}

std::vector<std::vector<double>> steppedTables(const World &world, double lr, bool sweep) {
  std::vector<std::vector<double>> tables;
  for (size_t t = 0; t < world.program.tables.size(); ++t) {
    tables.push_back(wholeTable(world.program, int64_t(t)));
    if (sweep)
      for (double &w : tables.back())
        w -= lr * w / 8;
  }
  for (size_t f = 0; f < world.features.size(); ++f) {
    int64_t t = world.features[f].table, dim = world.program.tables[t].dim;
    for (int64_t s = 0; s < world.samples(); ++s)
      for (size_t i = 0; i < world.bags[f][s].ids.size(); ++i)
        for (int64_t c = 0; c < dim; ++c)
          tables[t][world.bags[f][s].ids[i] * dim + c] -=
              lr * double(world.bags[f][s].weights[i]) * gradientAt(int64_t(f), s, c);
  }
  return tables;
}

void checkTables(const World &world, const Context &context, const std::vector<std::vector<double>> &expected) {
  for (const HeldPart &held : context.tables().parts()) {
    const SparsecPart &p = held.place;
    int64_t whole = world.program.tables[held.table].dim;
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t c = 0; c < p.dim; ++c)
        ASSERT_NEAR(p.field[0][row * p.dim + c], expected[held.table][(p.row0 + row) * whole + p.col0 + c], 2e-5)
            << "rank " << context.rank() << " table " << held.table << " row " << p.row0 + row << " column " << c;
  }
}

class FlowTest : public testing::TestWithParam<Setting> {};

TEST_P(FlowTest, LooksUpLikeTheWholeTable) {
  World world = worldOf(GetParam());
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    Flow flow(world, context, handle, GetParam().inNode);
    if (int32_t failed = flow.forward())
      return failed;
    checkPooled(world, flow, context.rank());
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(FlowTest, UpdatesLikeTheWholeTable) {
  for (bool sweep : {false, true}) {
    World world = worldOf(GetParam());
    auto expected = steppedTables(world, 0.125, sweep);
    Status status = world.run(
        [&](Context &context, SparsecContext *handle) {
          Flow flow(world, context, handle, GetParam().inNode);
          flow.sweep = sweep;
          if (int32_t failed = flow.forward())
            return failed;
          return flow.backward(gradientOf(world, context.rank(), flow.dims), 0.125f);
        },
        [&](Context &context) { checkTables(world, context, expected); });
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

/// <combine(x), y> = <x, spread(y)>: small integers, so that both are exact.
TEST_P(FlowTest, SpreadIsTheAdjointOfCombine) {
  World world = worldOf(GetParam());
  Status status = world.run([&](Context &context, SparsecContext *handle) {
    Flow flow(world, context, handle, GetParam().inNode);
    if (int32_t failed = flow.forward())
      return failed;
    std::mt19937 random(unsigned(context.rank()) + 3);
    auto small = [&] { return float(int(random() % 9) - 4); };
    std::vector<float> x(flow.returned()), back(x.size(), 0);
    for (float &v : x)
      v = small();
    std::vector<std::vector<float>> out = flow.pooled, y = flow.pooled;
    std::vector<float *> outs;
    std::vector<const float *> ys;
    for (size_t f = 0; f < out.size(); ++f) {
      std::fill(out[f].begin(), out[f].end(), 0.0f); // local lookups are in no item
      for (float &v : y[f])
        v = small();
      outs.push_back(onEngine(handle, out[f]));
      ys.push_back(onEngine(handle, y[f]));
    }
    sparsec_combine_sources(handle, groupAxes, flow.items.data(), flow.count(), flow.routed, flow.inNode,
                            onEngine(handle, x), outs.data(), flow.dims.data());
    float *returned = onEngine(handle, back);
    sparsec_spread_sources(handle, groupAxes, flow.items.data(), flow.count(), flow.routed, flow.inNode, ys.data(),
                           flow.dims.data(), returned);
    back = fromEngine(world, context, returned, flow.returned());
    for (size_t f = 0; f < out.size(); ++f)
      out[f] = fromEngine(world, context, outs[f], int64_t(out[f].size()));
    double left = 0, right = 0;
    for (size_t f = 0; f < out.size(); ++f)
      for (size_t i = 0; i < out[f].size(); ++i)
        left += double(out[f][i]) * y[f][i];
    for (size_t i = 0; i < x.size(); ++i)
      right += double(x[i]) * back[i];
    EXPECT_EQ(left, right);
    return 0;
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(FlowTest, SameBitsAtAnyThreadCount) {
  auto tables = [&](int threads) {
    World world = worldOf(GetParam());
    world.fill(403, 23);
    world.threads = threads;
    std::vector<std::vector<float>> result(world.ranks());
    Status status = world.run(
        [&](Context &context, SparsecContext *handle) {
          Flow flow(world, context, handle, GetParam().inNode);
          if (int32_t failed = flow.forward())
            return failed;
          return flow.backward(flow.pooled, 0.01f);
        },
        [&](Context &context) {
          for (const HeldPart &held : context.tables().parts())
            result[context.rank()].insert(result[context.rank()].end(), held.place.field[0],
                                          held.place.field[0] + held.place.rows * held.place.dim);
        });
    EXPECT_TRUE(status.ok()) << status.message();
    return result;
  };
  EXPECT_EQ(tables(1), tables(3));
}

INSTANTIATE_TEST_SUITE_P(
    Plans, FlowTest,
    testing::Values(
        Setting{"OneRank", {1, 1, 1}, onOneRank, 3, 7}, Setting{"OneRankNothing", {1, 1, 1}, onOneRank, 1, 0},
        Setting{"TableWise1x2", {1, 1, 2}, tableWise, 16, 9},
        Setting{"TableWise2x2", {2, 1, 2}, tableWise, 1, 5}, // ranks get 2, 2, 1, 0 samples
        Setting{"RowWise1x2", {1, 1, 2}, rowWise2, 128, 6}, Setting{"RowWise2x2", {2, 1, 2}, rowWise2, 3, 11},
        Setting{"RowWise1x3", {1, 1, 3}, rowWise3, 16, 10}, Setting{"ColumnWise1x2", {1, 1, 2}, columnWise, 8, 7},
        Setting{"ColumnWise2x2", {2, 1, 2}, columnWise, 8, 4}, Setting{"Nodes1x2x2", {1, 2, 2}, inNodes, 16, 13},
        Setting{"NoSamples1x2x2", {1, 2, 2}, inNodes, 2, 0},
        Setting{"TwoSteps1x2x2", {1, 2, 2}, nodes2x2, 16, 13, true},
        Setting{"TwoSteps2x2x2", {2, 2, 2}, nodes2x2, 2, 5, true}, // the last ranks get no samples
        Setting{"TwoSteps1x3x2", {1, 3, 2}, nodes3x2, 3, 17, true},
        Setting{"TwoSteps1x2x3", {1, 2, 3}, nodes2x3, 8, 9, true},
        Setting{"TwoStepsNoSamples1x2x2", {1, 2, 2}, nodes2x2, 2, 0, true}),
    [](const auto &info) { return info.param.name; });

} // namespace
} // namespace sparsec::test
