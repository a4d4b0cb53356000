// Whatever is wrong with a checkpoint, every rank refuses it, with the file and the reason.
#include "SavedModel.h"
#include "checkpoint/BlockHash.h"
#include "checkpoint/Manifest.h"
#include <mutex>

using namespace sparsec;
using namespace sparsec::test;

namespace {

const Mesh one{1, 1, 1}, twoByTwo{2, 1, 2};

class Damage : public CheckpointTest {
protected:
  void SetUp() override {
    CheckpointTest::SetUp();
    Status saved = saveOn(twoByTwo, directory);
    ASSERT_TRUE(saved.ok()) << saved.message();
  }
  /// Expects a refusal that says all of `words`, on one rank and on four.
  void expectRefused(const Program &onOne, const Program &onFour, const std::vector<std::string> &words) {
    for (const Program *program : {&onOne, &onFour}) {
      Status loaded = loadOn(*program, directory);
      ASSERT_FALSE(loaded.ok());
      for (const std::string &word : words)
        EXPECT_NE(loaded.message().find(word), std::string::npos) << loaded.message();
    }
  }
  void expectRefused(const std::vector<std::string> &words) {
    expectRefused(savedProgram(one), savedProgram(twoByTwo), words);
  }
  std::string file(const std::string &name) const { return directory + "/" + name; }
};

TEST_F(Damage, AnyFlippedBit) {
  Program program = savedProgram(one);
  int64_t flips = 0;
  for (const auto &entry : fs::directory_iterator(directory)) {
    std::string path = entry.path(), good = contentOf(path);
    for (size_t byte = 0; byte < good.size(); ++byte) {
      std::string bad = good;
      bad[byte] = char(bad[byte] ^ (1 << (byte % 8)));
      setContent(path, bad);
      Status loaded = loadOn(program, directory);
      ASSERT_FALSE(loaded.ok()) << path << " byte " << byte;
      ASSERT_NE(loaded.message().find(path), std::string::npos) << loaded.message();
      ++flips;
    }
    setContent(path, good);
  }
  EXPECT_GT(flips, 3000);
  EXPECT_TRUE(loadOn(program, directory).ok());
}

TEST_F(Damage, FlippedBitOnFourRanks) {
  std::string path = file("tensors-00002.safetensors"), bad = contentOf(path);
  bad[bad.size() - 1] ^= 1;
  setContent(path, bad);
  expectRefused({"tensors-00002.safetensors: bytes ", "do not match their checksum"});
}

TEST_F(Damage, Truncated) {
  for (const auto &entry : fs::directory_iterator(directory)) {
    std::string path = entry.path(), good = contentOf(path);
    for (size_t size : {size_t(0), size_t(7), good.size() / 2, good.size() - 1}) {
      setContent(path, good.substr(0, size));
      expectRefused({path});
    }
    setContent(path, good);
  }
}

TEST_F(Damage, LongerFile) {
  setContent(file("tensors-00000.safetensors"), contentOf(file("tensors-00000.safetensors")) + "x");
  expectRefused({"tensors-00000.safetensors: expected ", "not the one that was saved"});
}

TEST_F(Damage, MissingFile) {
  fs::remove(file("tensors-00001.safetensors"));
  expectRefused({"tensors-00001.safetensors: cannot open", "No such file"});
}

TEST_F(Damage, MissingManifest) {
  fs::remove(file("manifest.json"));
  expectRefused({directory, "no manifest.json"});
}

TEST_F(Damage, MissingDirectory) {
  fs::remove_all(directory);
  expectRefused({directory + ": there is no such checkpoint"});
}

TEST_F(Damage, AnotherModel) {
  Program a = savedProgram(one), b = savedProgram(twoByTwo);
  for (Program *p : {&a, &b})
    p->model = "other", p->fingerprint = "ffff";
  expectRefused(a, b, {directory, "model `other` (ffff)", "model `saved` (0123abcd)"});
}

TEST_F(Damage, AnotherShape) {
  Program a = savedProgram(one), b = savedProgram(twoByTwo);
  for (Program *p : {&a, &b})
    p->tables[3].rows = 6;
  expectRefused(a, b, {"expected tensor `table/copies/weight` of shape [6, 3], but got [5, 3]"});
}

TEST_F(Damage, AnotherOptimizer) {
  Program a = savedProgram(one), b = savedProgram(twoByTwo);
  for (Program *p : {&a, &b})
    p->tables[3].optimizer = adam();
  expectRefused(a, b, {"no tensor `table/copies/adam.m`", "another optimizer"});
  for (Program *p : {&a, &b})
    p->tables[3].optimizer = {"sgd", {}, {}};
  expectRefused(a, b, {"tensor `table/copies/row_wise_adagrad.sum` is not one of this program"});
}

TEST_F(Damage, AllRanksRefuseAlikeAndNothingIsTouched) {
  std::string path = file("tensors-00003.safetensors"), bad = contentOf(path);
  bad[bad.size() / 2] ^= 16;
  setContent(path, bad);
  Program program = savedProgram(twoByTwo);
  std::mutex lock;
  std::vector<std::string> messages;
  Status status = runInProcess(4, [&](Communicator &world) -> Status {
    RankTables mine(program, world.rank());
    std::vector<std::vector<float>> before;
    for (const CheckpointPiece &p : mine.pieces)
      before.emplace_back(p.data, p.data + p.rows * p.cols);
    auto state = loadCheckpoint(directory, program.model, program.fingerprint, checkpointTensors(program), mine.pieces,
                                world, true);
    EXPECT_FALSE(state.ok());
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(std::memcmp(before[i].data(), mine.pieces[i].data, before[i].size() * 4), 0);
    std::lock_guard hold(lock);
    messages.push_back(state.status().message());
    return {};
  });
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(messages.size(), 4u);
  for (const std::string &m : messages)
    EXPECT_EQ(m, messages[0]);
}

/// A header that lies, or is no JSON, but has the right checksum: not an accident, but it must not crash either.
TEST_F(Damage, HeaderThatLies) {
  auto manifest = checkpoint::readManifest(contentOf(file("manifest.json")), "m");
  ASSERT_TRUE(manifest.ok());
  std::string path = file("tensors-00000.safetensors"), good = contentOf(path);
  for (std::string lie : {"[13,9]", "[-1,6]", "[1e9]", "\"x\""}) {
    std::string bad = good;
    size_t at = bad.find("[13,6]");
    ASSERT_NE(at, std::string::npos);
    bad.replace(at, 6, lie);
    bad.resize(good.size());
    setContent(path, bad);
    for (size_t b = 0; b < manifest->files[0].blocks.size(); ++b) {
      size_t begin = b * size_t(manifest->blockBytes),
             length = std::min(size_t(manifest->blockBytes), bad.size() - begin);
      manifest->files[0].blocks[b] = checkpoint::hashBytes(bad.data() + begin, int64_t(length));
    }
    setContent(file("manifest.json"), checkpoint::writeManifest(*manifest));
    expectRefused({"tensors-00000.safetensors: "});
  }
}

} // namespace
