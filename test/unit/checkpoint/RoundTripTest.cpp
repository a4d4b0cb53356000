#include "SavedModel.h"

using namespace sparsec;
using namespace sparsec::test;

namespace {

const Mesh one{1, 1, 1}, twoByTwo{2, 1, 2}, three{1, 1, 3}, four{4, 1, 1}, nodes{1, 2, 2};

class RoundTrip : public CheckpointTest, public testing::WithParamInterface<std::pair<Mesh, Mesh>> {};

TEST_P(RoundTrip, BitForBit) {
  auto [from, to] = GetParam();
  Status saved = saveOn(from, directory);
  ASSERT_TRUE(saved.ok()) << saved.message();
  Status loaded = loadOn(savedProgram(to), directory);
  EXPECT_TRUE(loaded.ok()) << loaded.message();
}

INSTANTIATE_TEST_SUITE_P(Meshes, RoundTrip,
                         testing::Values(std::pair{one, one}, std::pair{twoByTwo, one}, std::pair{twoByTwo, three},
                                         std::pair{twoByTwo, four}, std::pair{one, twoByTwo}, std::pair{three, nodes},
                                         std::pair{four, twoByTwo}, std::pair{nodes, one}),
                         [](const auto &info) {
                           auto name = [](Mesh m) { return fmt::format("{}x{}x{}", m.groups, m.nodes, m.shards); };
                           return name(info.param.first) + "to" + name(info.param.second);
                         });

TEST_F(CheckpointTest, EveryMeshSavesTheSameBytes) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  ASSERT_TRUE(saveOn(twoByTwo, root + "/other").ok());
  int files = 0;
  for (const auto &entry : fs::directory_iterator(directory)) {
    EXPECT_EQ(contentOf(entry.path()), contentOf(root + "/other/" + entry.path().filename().string())) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 3);
}

TEST_F(CheckpointTest, WeightsAloneNeedNoStates) {
  ASSERT_TRUE(saveOn(twoByTwo, directory).ok());
  Program other = savedProgram(three);
  other.tables[0].optimizer = rowWise(); // saved with adam
  Status loaded = loadOn(other, directory, /*weightsOnly=*/true);
  EXPECT_TRUE(loaded.ok()) << loaded.message();
}

TEST_F(CheckpointTest, NamesAndShapes) {
  std::vector<CheckpointTensor> tensors = checkpointTensors(savedProgram(one));
  EXPECT_EQ(tensors[0], (CheckpointTensor{"table/rows/weight", {13, 6}}));
  EXPECT_EQ(tensors[1], (CheckpointTensor{"table/rows/adam.m", {13, 6}}));
  EXPECT_EQ(tensors[4], (CheckpointTensor{"table/few_rows/row_wise_adagrad.sum", {2}}));
  EXPECT_EQ(tensors.back(), (CheckpointTensor{"layer/top/0/bias/adam.u", {3}}));
}

TEST_F(CheckpointTest, StateIsReadable) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  auto state = readCheckpointState(directory + "/");
  ASSERT_TRUE(state.ok()) << state.status().message();
  EXPECT_EQ(*state, savedState());
}

TEST_F(CheckpointTest, PythonOpensIt) {
  ASSERT_TRUE(saveOn(twoByTwo, directory).ok());
  std::string script = SPARSEC_SOURCE_DIR "/test/unit/checkpoint/open_checkpoint.py";
  int status = std::system(fmt::format("'{}' '{}' '{}'", SPARSEC_PYTHON, script, directory).c_str());
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 77)
    GTEST_SKIP() << "Python's safetensors is not installed";
  EXPECT_EQ(code, 0);
}

} // namespace
