// A small program with a table of every kind of part, on any mesh, and what its tensors hold.
#pragma once
#include "sparsec/Checkpoint.h"
#include "sparsec/Communicator.h"
#include "sparsec/Tables.h"
#include "sparsec/ThreadPool.h"
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace sparsec::test {

namespace fs = std::filesystem;

inline OptimizerUse rowWise() { return {"row_wise_adagrad", {{"lr", .1}}, {{"sum", true, .5}}}; }
inline OptimizerUse adam() { return {"adam", {{"lr", .1}}, {{"m", false, 0}, {"u", false, 0}}}; }

inline Program savedProgram(Mesh mesh) {
  Program p;
  p.model = "saved";
  p.fingerprint = "0123abcd";
  p.mesh = mesh;
  int64_t group = mesh.groupSize();
  auto table = [&](std::string name, int64_t rows, int64_t dim, OptimizerUse optimizer, std::vector<TablePart> parts) {
    TableInfo t;
    t.name = std::move(name), t.rows = rows, t.dim = dim;
    t.optimizer = std::move(optimizer), t.parts = std::move(parts);
    p.tables.push_back(std::move(t));
  };
  table("rows", 13, 6, adam(), {{0, 6, false, 0, group}});
  table("few_rows", 2, 3, rowWise(), {{0, 3, false, 0, group}}); // some ranks own none
  table("columns", 7, 10, rowWise(), {{0, 4, false, 0, 1}, {4, 6, false, group - 1, 1}});
  table("copies", 5, 3, rowWise(), {{0, 3, true, 0, 1}});
  table("grid", 9, 8, adam(), {{0, 4, false, 0, group}, {4, 4, true, 0, 1}});
  p.params.push_back({"layer/top/0/weight", {3, 4}, {}, adam()});
  p.params.push_back({"layer/top/0/bias", {3}, {}, adam()});
  return p;
}

/// The bits of tensor t at (row, column): all different, NaN payloads and denormals included.
inline float cell(int64_t tensor, int64_t row, int64_t column) {
  uint32_t bits = uint32_t((tensor * 131 + row) * 257 + column) * 2654435761u;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// A rank's tables and their pieces.
struct RankTables {
  RankTables(const Program &program, int64_t rank, bool weightsOnly = false) {
    auto made = Tables::create(program, rank, pool);
    EXPECT_TRUE(made.ok()) << made.status().message();
    tables = std::move(*made);
    pieces = checkpointPieces(program, *tables, rank, weightsOnly);
  }
  void fill() {
    for (CheckpointPiece &p : pieces)
      for (int64_t r = 0; r < p.rows; ++r)
        for (int64_t c = 0; c < p.cols; ++c)
          p.data[r * p.cols + c] = cell(p.tensor, p.row0 + r, p.col0 + c);
  }
  /// How many numbers are not what fill() gives.
  int64_t wrong() const {
    int64_t n = 0;
    for (const CheckpointPiece &p : pieces)
      for (int64_t r = 0; r < p.rows; ++r)
        for (int64_t c = 0; c < p.cols; ++c) {
          float expected = cell(p.tensor, p.row0 + r, p.col0 + c);
          n += std::memcmp(&p.data[r * p.cols + c], &expected, 4) != 0;
        }
    return n;
  }
  ThreadPool pool{1};
  std::unique_ptr<Tables> tables;
  std::vector<CheckpointPiece> pieces;
};

inline CheckpointState savedState() { return {"saved", "0123abcd", 41, 2, 7, 99}; }
inline CheckpointLimits smallLimits() { return {300, 64}; } // several files and blocks

/// One rank needs no thread.
inline Status onRanks(int64_t ranks, const std::function<Status(Communicator &)> &body) {
  return ranks == 1 ? body(*makeLoopback()) : runInProcess(int(ranks), body);
}

inline Status saveOn(Mesh mesh, const std::string &directory, CheckpointState state = savedState()) {
  Program program = savedProgram(mesh);
  return onRanks(mesh.ranks(), [&](Communicator &world) {
    RankTables mine(program, world.rank());
    mine.fill();
    return saveCheckpoint(directory, state, checkpointTensors(program), mine.pieces, world, smallLimits());
  });
}

/// Loads into fresh tables; fails if any number differs.
inline Status loadOn(const Program &program, const std::string &directory, bool weightsOnly = false) {
  return onRanks(program.mesh.ranks(), [&](Communicator &world) -> Status {
    RankTables mine(program, world.rank(), weightsOnly);
    auto state = loadCheckpoint(directory, program.model, program.fingerprint, checkpointTensors(program, weightsOnly),
                                mine.pieces, world, !weightsOnly);
    if (!state)
      return state.status();
    if (!(*state == savedState()))
      return Status::error("another state");
    if (!weightsOnly && mine.wrong())
      return Status::error(fmt::format("{} wrong numbers", mine.wrong()));
    return {};
  });
}

/// A directory of the test's own, removed at its end.
class CheckpointTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sparsec-checkpoint-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    directory = root + "/saved";
  }
  void TearDown() override { fs::remove_all(root); }
  std::string root, directory;
};

inline std::string contentOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
inline void setContent(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

} // namespace sparsec::test
