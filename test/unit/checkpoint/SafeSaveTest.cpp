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

/// What a save may remove beside its directory is what an earlier one has left, and nothing else.
TEST_F(CheckpointTest, WillNotRemoveOtherThingsBesideIt) {
  for (const char *beside : {".new", ".old"}) {
    std::string path = directory + beside;
    fs::create_directory(path);
    EXPECT_TRUE(saveOn(one, directory).ok()) << "an empty one";
    fs::create_directories(path);
    setContent(path + "/tensors-00000.safetensors", "of a killed save");
    EXPECT_TRUE(saveOn(one, directory).ok());
    fs::create_directories(path);
    setContent(path + "/tensors-00000.safetensors", "of a killed save");
    setContent(path + "/manifest.json", "{");
    EXPECT_TRUE(saveOn(one, directory).ok());

    fs::create_directories(path);
    setContent(path + "/thesis.tex", "dear to someone");
    for (const Status &status : {checkSaveDirectory(directory), saveOn(two, directory)})
      EXPECT_NE(status.message().find(path + ": expected no directory, an empty one or a checkpoint to replace, but it "
                                             "holds other files, such as `thesis.tex`"),
                std::string::npos)
          << status.message();
    EXPECT_EQ(contentOf(path + "/thesis.tex"), "dear to someone");
    fs::remove_all(path);
    setContent(path, "a file of that name");
    EXPECT_NE(saveOn(one, directory).message().find("it is a file"), std::string::npos);
    EXPECT_EQ(contentOf(path), "a file of that name");
    fs::remove(path);
  }
}

TEST_F(CheckpointTest, WillNotRemoveWhatIsAmongItsFiles) {
  ASSERT_TRUE(saveOn(one, directory).ok());
  setContent(directory + "/notes", "dear to someone");
  EXPECT_NE(saveOn(one, directory).message().find("it holds other files, such as `notes`"), std::string::npos);
  EXPECT_EQ(contentOf(directory + "/notes"), "dear to someone");
}

TEST_F(CheckpointTest, WillNotRemoveWhatIsInUse) {
  ASSERT_TRUE(saveOn(one, directory + ".new").ok());
  fs::create_directory_symlink(directory + ".new", root + "/link");
  for (std::string loaded : {directory + ".new", directory + ".new/", root + "/link",
                             root + "/../" + fs::path(root).filename().string() + "/saved.new", directory + ".old"})
    EXPECT_NE(checkSaveDirectory(directory, loaded).message().find("is in use"), std::string::npos) << loaded;
  for (std::string path : {directory, directory + "/log", directory + ".new/tensors-1.safetensors"})
    EXPECT_NE(checkSaveDirectory(directory, "", {path}).message().find("is in use"), std::string::npos) << path;
  for (std::string loaded : {std::string(), directory, directory + "/", directory + ".newer", root + "/other"}) {
    Status status = checkSaveDirectory(directory, loaded, {root + "/train.csv", directory + ".log", ""});
    EXPECT_TRUE(status.ok()) << status.message();
  }
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
