// Whatever goes wrong: one message, exit code not 0, the old checkpoint whole, and no rank left waiting.
#include "../ScarceMemory.h"
#include "Running.h"
#include <optional>
#include <sys/stat.h>

using namespace sparsec;
using namespace sparsec::test;

namespace {

class Errors : public CliTest {
protected:
  /// Expects one message with all of `words`.
  static void expectError(const Ran &ran, int code, const std::vector<std::string> &words) {
    EXPECT_EQ(ran.code, code) << ran.err;
    for (const std::string &word : words)
      EXPECT_NE(ran.err.find(word), std::string::npos) << ran.err;
    size_t first = ran.err.find("error: ");
    if (code == 1)
      EXPECT_TRUE(first != std::string::npos && ran.err.find("error: ", first + 1) == std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  std::vector<std::string> train(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"train", "--in-process", "--data", at("train.csv")});
    return more;
  }
};

const Mesh one{}, four{2, 1, 2};

TEST_F(Errors, CommandLine) {
  auto model = makeFakeModel();
  expectError(runModel(*model, {}), 2, {"subcommand"});
  expectError(runModel(*model, {"train"}), 2, {"--data"});
  expectError(runModel(*model, {"trian"}), 2, {"unknown command `trian`", "`train`"});
  expectError(runModel(*model, {"eval", "--data", "x"}), 2, {"--load"});
  expectError(runModel(*model, train({"--step", "3"})), 2, {"unknown argument `--step`"});
  expectError(runModel(*model, {"train", "--dada", "x"}), 2, {"unknown argument `--dada`"});
  expectError(runModel(*model, train({"--steps", "99999999999999999999"})), 2, {"--steps", "9007199254740992"});
  expectError(runModel(*model, train({"--seed", "-1"})), 2, {"--seed", "whole number"});
  expectError(runModel(*model, train({"--threads", "0"})), 2, {"--threads", "[1, 4096]"});
  expectError(runModel(*model, {"bench", "--bag-length", "nan"}), 2, {"--bag-length"});
  expectError(runModel(*model, {"bench", "--zipf", "inf"}), 2, {"--zipf", "[0, 100]"});
  expectError(runModel(*model, {"bench", "--steps", "1", "--kernels"}), 1,
              {"`--kernels` is about devices", "--target=cuda"});
  for (const char *flag : {"--save", "--load", "--log", "--eval-data"})
    expectError(runModel(*model, train({flag, ""})), 2, {flag, "expected a path, but got none"});
  expectError(runModel(*model, train({"--steps", "-3"})), 2, {"--steps"});
  expectError(runModel(*model, train({"--save-every", "3"})), 2, {"`--save-every` needs `--save`"});
  expectError(runModel(*model, train({"--eval-every", "3"})), 2, {"`--eval-every` needs `--eval-data`"});
}

TEST_F(Errors, RankCount) {
  expectError(runModel(*makeFakeModel(four), {"train", "--data", at("train.csv")}), 1,
              {"compiled for 4 ranks, but 1 was started", "mpirun -np 4 ./fake train --data " + at("train.csv"),
               "--in-process"});
}

TEST_F(Errors, MissingFile) {
  for (Mesh mesh : {one, four})
    expectError(runModel(*makeFakeModel(mesh), {"train", "--in-process", "--data", at("nowhere.csv")}), 1,
                {"nowhere.csv"});
}

TEST_F(Errors, BadFieldStopsAllRanksAndSavesNothing) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--steps", "2", "--save", at("saved")})).code, 0);
  std::string before = read("saved/manifest.json");
  writeText("bad.csv", "y,a,b\n0,1,2\n1,2,3\n0,2,2\n1,1,1\n0,1,2\n1,2,3\n0,2,2\n1,1,1\n0,1,2\n1,2,3\n0,two,2\n");
  for (Mesh mesh : {one, four}) {
    expectError(runModel(*makeFakeModel(mesh),
                         {"train", "--data", at("bad.csv"), "--in-process", "--save", at("saved"), "--log", at("log")}),
                1, {"bad.csv:12", "two"});
    EXPECT_EQ(read("saved/manifest.json"), before);
    expectError(
        runModel(*makeFakeModel(mesh), {"eval", "--data", at("bad.csv"), "--in-process", "--load", at("saved")}), 1,
        {"bad.csv:12", "two"});
  }
}

TEST_F(Errors, NonFiniteLossStops) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--steps", "2", "--save", at("saved")})).code, 0);
  std::string before = read("saved/manifest.json");
  std::vector<Row> rows = makeRows(20);
  rows[17].a = 3e38f; // in the third batch
  rows[17].y = 0, rows[17].b = 3e38f;
  writeRows("large.csv", rows);
  for (Mesh mesh : {one, four}) {
    auto model = makeFakeModel(mesh);
    model->program.shuffleRows = 0;
    model->program.params[0].init = {"constant", 2, {}};
    model->description = writeProgram(model->program);
    model->image.description = model->description.data();
    model->image.description_size = int64_t(model->description.size());
    expectError(runModel(*model, {"train", "--data", at("large.csv"), "--in-process", "--save", at("saved"), "--log",
                                  at("log")}),
                1, {"step 3", "loss", "batch 3 of epoch 1", "all weights are finite"});
    EXPECT_EQ(read("saved/manifest.json"), before);
    EXPECT_EQ(losses("log").size(), 2u);
  }
}

TEST_F(Errors, NoSamples) {
  writeText("none.csv", "y,a,b\n");
  for (Mesh mesh : {one, four})
    expectError(runModel(*makeFakeModel(mesh), {"train", "--data", at("none.csv"), "--in-process", "--steps", "3"}), 1,
                {"none.csv"});
}

TEST_F(Errors, Checkpoints) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--save", at("saved")})).code, 0);
  for (Mesh mesh : {one, four}) {
    auto other = makeFakeModel(mesh);
    other->program.fingerprint = "beef";
    other->description = writeProgram(other->program);
    other->image.description = other->description.data();
    other->image.description_size = int64_t(other->description.size());
    expectError(runModel(*other, {"eval", "--data", at("eval.csv"), "--in-process", "--load", at("saved")}), 1,
                {at("saved"), "beef", "f00d"});
    expectError(
        runModel(*makeFakeModel(mesh), {"predict", "--data", at("eval.csv"), "--in-process", "--load", at("none")}), 1,
        {at("none"), "no such checkpoint"});
  }
}

TEST_F(Errors, SaveDirectoryIsCheckedBeforeTraining) {
  fs::create_directory(at("mine"));
  writeText("mine/notes", "");
  for (Mesh mesh : {one, four})
    expectError(runModel(*makeFakeModel(mesh), train({"--steps", "1000000000", "--save", at("mine")})), 1,
                {"it holds other files"});
  expectError(runModel(*makeFakeModel(), train({"--save", at("no/where")})), 1, {"there is no directory"});
  expectError(runModel(*makeFakeModel(), train({"--log", at("no/where")})), 1, {"cannot open for writing"});
}

TEST_F(Errors, WhatASaveRemovesIsCheckedBeforeTraining) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--save", at("saved.new")})).code, 0);
  std::string manifest = read("saved.new/manifest.json");
  for (Mesh mesh : {one, four}) {
    auto saveWith = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"--steps", "3", "--save", at("saved")});
      return runModel(*makeFakeModel(mesh), train(more));
    };
    expectError(saveWith({"--load", at("saved.new")}), 1, {at("saved.new") + ": a save removes it", "is in use"});
    expectError(saveWith({"--log", at("saved/log")}), 1, {at("saved/log"), "is in use"});
    expectError(saveWith({"--eval-data", at("saved.old/eval.csv")}), 1, {at("saved.old"), "is in use"});
    writeText("saved.new/thesis.txt", "dear to someone");
    expectError(saveWith({}), 1, {at("saved.new"), "it holds other files, such as `thesis.txt`"});
    EXPECT_EQ(read("saved.new/thesis.txt"), "dear to someone");
    fs::remove(at("saved.new/thesis.txt"));
  }
  EXPECT_EQ(read("saved.new/manifest.json"), manifest);
}

TEST_F(Errors, InputsAreNotOverwritten) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--save", at("saved")})).code, 0);
  std::string data = read("train.csv"), manifest = read("saved/manifest.json");
  fs::create_symlink(at("train.csv"), at("link.csv"));
  for (Mesh mesh : {one, four}) {
    auto predictTo = [&](const std::string &path) {
      return runModel(*makeFakeModel(mesh),
                      {"predict", "--in-process", "--data", at("train.csv"), "--load", at("saved"), "-o", path});
    };
    for (std::string path : {at("train.csv"), at("link.csv"), at("saved/manifest.json")})
      expectError(predictTo(path), 1, {path + ": would overwrite"});
    expectError(runModel(*makeFakeModel(mesh), train({"--log", at("train.csv")})), 1, {"would overwrite"});
  }
  EXPECT_EQ(read("train.csv"), data);
  EXPECT_EQ(read("saved/manifest.json"), manifest);
}

TEST_F(Errors, OldPredictionsStayWhereNewOnesFail) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--save", at("saved")})).code, 0);
  writeText("bad.csv", "y,a,b\n0,1,2\n1,2,3\n0,2,2\n1,1,1\n0,1,2\n1,2,3\n0,2,2\n1,1,1\n0,1,2\n1,2,3\n0,two,2\n");
  writeText("out.csv", "old");
  for (Mesh mesh : {one, four}) {
    expectError(runModel(*makeFakeModel(mesh), {"predict", "--in-process", "--data", at("bad.csv"), "--load",
                                                at("saved"), "-o", at("out.csv")}),
                1, {"bad.csv:12"});
    EXPECT_EQ(read("out.csv"), "old");
    EXPECT_FALSE(fs::exists(at("out.csv.new")));
    for (const fs::directory_entry &entry : fs::directory_iterator(root))
      EXPECT_FALSE(entry.path().filename().string().starts_with("out.csv.")) << entry.path();
  }
}

TEST_F(Errors, DataMustBeAFile) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0); // nobody writes to it
  for (Mesh mesh : {one, four})
    expectError(runModel(*makeFakeModel(mesh), {"train", "--in-process", "--data", at("pipe")}), 1,
                {"pipe: expected a file"});
}

TEST_F(Errors, SavesThroughALink) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--steps", "1", "--save", at("saved")})).code, 0);
  fs::create_directory_symlink(at("saved"), at("link"));
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--steps", "2", "--save", at("link")})).code, 0);
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_NE(read("saved/manifest.json").find("\"step\": 2"), std::string::npos) << read("saved/manifest.json");
}

TEST_F(Errors, FullDisk) {
  ASSERT_EQ(runModel(*makeFakeModel(), train({"--save", at("saved")})).code, 0);
  for (Mesh mesh : {one, four})
    expectError(runModel(*makeFakeModel(mesh), {"predict", "--in-process", "--data", at("eval.csv"), "--load",
                                                at("saved"), "-o", "/dev/full"}),
                1, {"/dev/full", "No space left"});
}

#ifndef SPARSEC_NEEDS_ADDRESS_SPACE
TEST_F(Errors, MoreThreadsThanTheSystemGives) {
  for (Mesh mesh : {one, four}) {
    auto model = makeFakeModel(mesh);
    std::optional<ScarceMemory> scarce(std::in_place);
    Ran ran = runModel(*model, train({"--threads", "4000"}));
    scarce.reset();
    // Of four ranks the first may leave no room for the thread of another, which is then what is told.
    const std::string ofRank = "cannot start a thread for each of 4 ranks: ";
    if (mesh.ranks() == 4 && ran.err.find(ofRank) != std::string::npos)
      expectError(ran, 1, {ofRank});
    else
      expectError(ran, 1, {"cannot start 4000 threads: ", "lower --threads"});
  }
}
#endif

TEST_F(Errors, OtherRuntime) {
  auto model = makeFakeModel();
  model->image.abi = 99;
  expectError(runModel(*model, {"info"}), 1, {"runtime interface 99"});
  model->image.abi = SPARSEC_ABI;
  model->image.description_size /= 2;
  EXPECT_EQ(runModel(*model, {"info"}).code, 1);
}

} // namespace
