#include "sparsec/Tables.h"
#include "sparsec/InitialValue.h"
#include "sparsec/ThreadPool.h"
#include <gtest/gtest.h>

namespace sparsec {
namespace {

TableInfo tableOf(std::string name, int64_t rows, int64_t dim, std::vector<TablePart> parts) {
  TableInfo table;
  table.name = std::move(name);
  table.rows = rows;
  table.dim = dim;
  table.init.kind = "uniform";
  table.init.value = 1;
  table.parts = std::move(parts);
  return table;
}

Program programOf(Mesh mesh, std::vector<TableInfo> tables) {
  Program program;
  program.mesh = mesh;
  program.tables = std::move(tables);
  return program;
}

std::unique_ptr<Tables> make(const Program &program, int64_t rank, TableOptions options = {}, int threads = 1) {
  ThreadPool pool(threads);
  auto made = Tables::create(program, rank, pool, options);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made ? std::move(*made) : nullptr;
}

std::string failure(const Program &program) {
  ThreadPool pool(1);
  return Tables::create(program, 0, pool).status().message();
}

TEST(RowBlock, LastBlocksAreShorterOrEmpty) {
  TableInfo five = tableOf("t", 5, 1, {}), ten = tableOf("t", 10, 1, {});
  TablePart part{0, 1, false, 2, 4};
  auto rows = [&](const TableInfo &table) {
    std::vector<int64_t> all;
    for (int64_t rank = 0; rank < 7; ++rank) {
      RowBlock block = rowBlock(table, part, rank);
      EXPECT_EQ(block.held, rank >= 2 && rank < 6);
      if (block.held)
        all.insert(all.end(), {block.row0, block.rows});
    }
    return all;
  };
  EXPECT_EQ(rows(five), (std::vector<int64_t>{0, 2, 2, 2, 4, 1, 5, 0}));
  EXPECT_EQ(rows(ten), (std::vector<int64_t>{0, 3, 3, 3, 6, 3, 9, 1}));
}

TEST(Tables, PartsAreCutFromTheWhole) {
  // Rows over 2 shards, columns 0-2 and 3-6 apart, and a copy everywhere: the same numbers.
  Program program = programOf({2, 1, 2}, {tableOf("t", 7, 7, {{0, 3, false, 0, 2}, {3, 4, false, 1, 1}}),
                                          tableOf("u", 3, 2, {{0, 2, true, 0, 1}})});
  InitialValue t(program.tables[0].init, 4, "table/t/weight", 7);
  for (int64_t rank = 0; rank < 4; ++rank) {
    auto tables = make(program, rank, {4, true});
    ASSERT_EQ(tables->parts().size(), rank % 2 == 0 ? 2u : 3u);
    EXPECT_EQ(tables->part(0, 1) == nullptr, rank % 2 == 0);
    EXPECT_EQ(tables->part(0, 2), nullptr);
    EXPECT_EQ(tables->part(-1, 0), nullptr);
    for (const HeldPart &held : tables->parts()) {
      EXPECT_EQ(held.copies, held.table == 1 ? 4 : 2);
      EXPECT_EQ(held.copy, held.table == 1 ? rank : rank / 2);
      if (held.table == 1)
        continue;
      for (int64_t row = 0; row < held.place.rows; ++row) {
        std::vector<float> whole(7);
        t.fill(held.place.row0 + row, 0, 7, whole.data());
        for (int64_t c = 0; c < held.place.dim; ++c)
          EXPECT_EQ(held.place.field[0][row * held.place.dim + c], whole[held.place.col0 + c]);
      }
    }
  }
}

TEST(Tables, StatesStartWhereTheySay) {
  Program program = programOf({}, {tableOf("t", 5, 3, {{0, 3, false, 0, 1}})});
  program.tables[0].optimizer.states = {{"m", false, 0}, {"v", true, 0.5}};
  ParamInfo param;
  param.name = "layer/w";
  param.shape = {4, 3};
  param.init.kind = "constant";
  param.init.value = 2;
  param.optimizer.states = {{"m", false, 1}};
  program.params.push_back(param);
  auto tables = make(program, 0);
  const SparsecPart &part = *tables->part(0, 0);
  for (int i = 0; i < 15; ++i)
    EXPECT_EQ(part.field[1][i], 0);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(part.field[2][i], 0.5f);
  EXPECT_EQ(part.field[3], nullptr);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(tables->param(0, 0)[i], 2);
    EXPECT_EQ(tables->param(0, 1)[i], 1);
  }
  EXPECT_EQ(tables->param(0, 2), nullptr);
  EXPECT_EQ(tables->param(1, 0), nullptr);
  for (int field = 0; field < 3; ++field)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(part.field[field]) % 64, 0u);
  EXPECT_EQ(tables->tableBytes(), 64 + 64 + 64);
  EXPECT_EQ(tables->paramBytes(), 64 + 64);

  auto weights = make(program, 0, {1, false});
  EXPECT_EQ(weights->part(0, 0)->field[1], nullptr);
  EXPECT_EQ(weights->param(0, 1), nullptr);
}

TEST(Tables, SameBitsAtAnyThreadCount) {
  Program program = programOf({}, {tableOf("t", 30011, 16, {{0, 16, false, 0, 1}})});
  auto one = make(program, 0, {}, 1), three = make(program, 0, {}, 3);
  const float *a = one->part(0, 0)->field[0], *b = three->part(0, 0)->field[0];
  EXPECT_TRUE(std::equal(a, a + 30011 * 16, b));
}

TEST(Tables, AHugeTableOfZerosCostsNothing) {
  Program program = programOf({}, {tableOf("t", int64_t(1) << 29, 8, {{0, 8, false, 0, 1}})}); // 16 GiB
  program.tables[0].init = InitialValues();                                                    // 0
  auto tables = make(program, 0);
  ASSERT_TRUE(tables);
  float *last = tables->part(0, 0)->field[0] + ((int64_t(1) << 32) - 1);
  EXPECT_EQ(*last, 0);
  *last = 1;
}

TEST(Tables, AnEmptyBlockIsAPart) {
  Program program = programOf({1, 1, 4}, {tableOf("t", 5, 2, {{0, 2, false, 0, 4}})});
  auto tables = make(program, 3);
  ASSERT_NE(tables->part(0, 0), nullptr);
  EXPECT_EQ(tables->part(0, 0)->rows, 0);
  EXPECT_EQ(tables->part(0, 0)->row0, 5);
}

TEST(Tables, Mistakes) {
  EXPECT_EQ(failure(programOf({}, {tableOf("t", 5, 2, {{1, 2, false, 0, 1}})})),
            "table `t`: part 0 (columns 1 + 2, owners 0 + 1) is not inside 2 columns and 1 ranks");
  EXPECT_EQ(failure(programOf({1, 1, 2}, {tableOf("t", 5, 2, {{0, 2, false, 1, 2}})})),
            "table `t`: part 0 (columns 0 + 2, owners 1 + 2) is not inside 2 columns and 2 ranks");
  Program program = programOf({}, {tableOf("t", 5, 2, {{0, 2, false, 0, 1}})});
  program.tables[0].optimizer.states.resize(4);
  EXPECT_EQ(failure(program), "parameter `table/t/weight`: expected at most 3 optimizer states, but got 4");
  EXPECT_EQ(failure(programOf({}, {tableOf("t", int64_t(1) << 60, 2, {{0, 2, false, 0, 1}})})),
            "`table/t/weight`: cannot hold 2305843009213693952 floats");
}

} // namespace
} // namespace sparsec
