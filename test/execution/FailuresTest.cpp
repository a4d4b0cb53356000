// What users get wrong, in an executable of four ranks: one message with its place, whichever rank has found it, a
// non-zero exit, and no rank that hangs. In one process and under mpirun.
#include "support/Compiled.h"
#include <gtest/gtest.h>

namespace sparsec::execution {
namespace {

constexpr const char *description = R"(language: 1
name: "small"
data { delimiter: "," column: ["y", "x", "id"] }
label { name: "y" }
feature { name: "x" number {} }
feature { name: "id" ids: 10 identity {} }
table { name: "t" dim: 4 rows: 10 optimizer { sgd { lr: 0.01 } } }
lookup { name: "e" feature: "id" table: "t" pooling: SUM }
layer { name: "top" input: ["e", "x"] linear { units: 1 } }
task { name: "click" input: "top" label: "y" bce {} }
training { batch_size: 8 seed: 1 dense_optimizer { sgd { lr: 0.01 } } }
)";

/// 40 lines, the 30th as given: of the fourth batch, whose samples are spread over the ranks.
std::string lines(const std::string &thirtieth) {
  std::string text;
  for (int n = 1; n <= 40; ++n)
    text += n == 30 ? thirtieth + "\n" : std::to_string(n % 2) + ",0.5," + std::to_string(n % 10) + "\n";
  return text;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

class FailuresTest : public testing::TestWithParam<bool> {
protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    writeFile(*folder / "model.textproto", description);
    const Mesh mesh = {2, 1, 2};
    compiled = new Compiled(*folder / "model.textproto", mesh, planText("small", mesh, {{"t", "row_wise"}}));
    ASSERT_TRUE(compiled->ok()) << compiled->errors();
    writeFile(*folder / "good.csv", lines("1,0.5,3"));
    Trained trained = compiled->train(*folder / "good.csv", "saved", {.steps = 2, .load = ""});
    ASSERT_TRUE(trained.ran.ok()) << trained.ran.err;
  }
  static void TearDownTestSuite() {
    delete compiled;
    delete folder;
  }
  void SetUp() override {
    if (GetParam() && !haveMpirun())
      GTEST_SKIP() << "mpirun is not on the path";
  }

  /// Every command on this file fails, and says `place` in its one message.
  void expectFailure(const std::string &file, const std::string &place) {
    for (std::vector<std::string> command : {std::vector<std::string>{"train"},
                                             {"eval", "--load", *compiled / "saved"},
                                             {"predict", "--load", *compiled / "saved"}}) {
      command.insert(command.end(), {"--quiet", "--data", file});
      Ran ran = compiled->run(command, GetParam());
      SCOPED_TRACE(command[0] + ": " + ran.err);
      EXPECT_NE(ran.code, 0);
      EXPECT_EQ(count(ran.err, "error: "), 1u);
      EXPECT_NE(ran.err.find(place), std::string::npos);
    }
  }
  void expectFailureOf(const std::string &thirtieth, const std::string &place) {
    writeFile(*folder / "bad.csv", lines(thirtieth));
    expectFailure(*folder / "bad.csv", place);
  }

  static TemporaryFolder *folder;
  static Compiled *compiled;
};

TemporaryFolder *FailuresTest::folder;
Compiled *FailuresTest::compiled;

TEST_P(FailuresTest, IdOutOfRange) { expectFailureOf("1,0.5,10", "bad.csv:30"); }
TEST_P(FailuresTest, NegativeId) { expectFailureOf("1,0.5,-1", "bad.csv:30"); }
TEST_P(FailuresTest, NoNumber) { expectFailureOf("1,half,3", "bad.csv:30"); }
TEST_P(FailuresTest, ColumnMissing) { expectFailureOf("1,0.5", "bad.csv:30"); }
TEST_P(FailuresTest, FileMissing) { expectFailure(*folder / "nowhere.csv", "nowhere.csv"); }

TEST_P(FailuresTest, UnknownFlag) {
  Ran ran = compiled->run({"train", "--dada", "x"}, GetParam());
  EXPECT_NE(ran.code, 0);
  EXPECT_NE(ran.err.find("--dada"), std::string::npos) << ran.err;
}

/// Compiled for a machine that has the memory, run on one that has not.
TEST(MemoryTest, IsAskedForBeforeItIsTaken) {
  TemporaryFolder folder;
  std::string large = description;
  for (size_t at; (at = large.find(": 10 ")) != std::string::npos;)
    large.replace(at, 5, ": 1000000000000 ");
  writeFile(folder / "model.textproto", large);
  writeFile(folder / "cluster.textproto", R"(language: 1
name: "vast"
device { name: "core" target: CPU memory_gib: 1e6 copy_gb_per_s: 10 fp32_tflops: 0.1 launch_us: 0.1 source: "made up" }
host { devices: 1 cores: 1 memory_gib: 1e6 copy_gb_per_s: 20 source: "made up" }
link { name: "memory" joins: 1 gb_per_s: 5 latency_us: 1 source: "made up" }
)");
  writeFile(folder / "data.csv", lines("1,0.5,3"));
  Ran compiled = runProgram({SPARSEC_PROGRAM, folder / "model.textproto", "-o", folder / "model",
                             "--cluster=" + (folder / "cluster.textproto")});
  ASSERT_TRUE(compiled.ok()) << compiled.err;
  Ran ran = runProgram({folder / "model", "train", "--quiet", "--data", folder / "data.csv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("the largest table is `t`, of 16 TB"), std::string::npos) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Ranks, FailuresTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Processes" : "Threads"; });

} // namespace
} // namespace sparsec::execution
