// A save replaces the old checkpoint as a whole or not at all.
#include "SavedModel.h"
#include "checkpoint/File.h"
#include <csignal>
#include <sys/wait.h>

using namespace sparsec;
using namespace sparsec::test;

namespace {

const Mesh one{1, 1, 1}, two{1, 1, 2};

TEST_F(CheckpointTest, ReplacesTheOldOne) {
  CheckpointState old = savedState();
  old.step = 1;
  ASSERT_TRUE(saveOn(one, directory, old).ok());
  ASSERT_TRUE(saveOn(two, directory + "/").ok());
  EXPECT_TRUE(loadOn(savedProgram(one), directory).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 1) << "nothing is left beside it";
}

TEST_F(CheckpointTest, KilledSavesLeaveAWholeOne) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  for (int attempt = 0; attempt < 20; ++attempt) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (saveOn(one, directory).ok()) {
      }
      _exit(1);
    }
    usleep(useconds_t(1500 * (attempt + 1)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a save failed by itself";
    Status loaded = loadOn(savedProgram(one), directory);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
  }
  EXPECT_TRUE(saveOn(two, directory).ok()) << "what the killed ones left is no obstacle";
}

TEST_F(CheckpointTest, WithoutExchangeOfDirectoriesTheOldOneIsFound) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  fs::rename(directory, directory + ".old"); // where such a save may be killed
  Status loaded = loadOn(savedProgram(two), directory);
  EXPECT_TRUE(loaded.ok()) << loaded.message();
}

TEST_F(CheckpointTest, WillNotReplaceOtherThings) {
  fs::create_directory(directory);
  setContent(directory + "/thesis.tex", "dear to someone");
  EXPECT_NE(checkSaveDirectory(directory).message().find("it holds other files"), std::string::npos);
  Status saved = saveOn(two, directory);
  EXPECT_NE(saved.message().find("it holds other files"), std::string::npos) << saved.message();
  EXPECT_EQ(contentOf(directory + "/thesis.tex"), "dear to someone");

  setContent(root + "/file", "");
  EXPECT_NE(checkSaveDirectory(root + "/file").message().find("it is a file"), std::string::npos);
  EXPECT_NE(checkSaveDirectory(root + "/no/where").message().find("there is no directory"), std::string::npos);
  EXPECT_TRUE(checkSaveDirectory(root + "/new").ok());
}

TEST_F(CheckpointTest, ATensorThatNoRankHoldsIsNotSavedAsZeros) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  Program program = savedProgram(two);
  Status status = runInProcess(2, [&](Communicator &world) {
    RankTables mine(program, world.rank());
    std::erase_if(mine.pieces, [](const CheckpointPiece &p) { return p.tensor == 3; });
    return saveCheckpoint(directory, savedState(), checkpointTensors(program), mine.pieces, world);
  });
  EXPECT_NE(status.message().find("tensor `table/few_rows/weight` has 6 numbers, but the ranks would save 0"),
            std::string::npos)
      << status.message();
  EXPECT_TRUE(loadOn(savedProgram(one), directory).ok());
}

} // namespace
