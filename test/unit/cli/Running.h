// Runs commands of the fake model in this process and keeps what they print.
#pragma once
#include "FakeModel.h"
#include "sparsec/Cli.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace sparsec::test {

namespace fs = std::filesystem;

struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran runModel(const FakeModel &model, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "./fake");
  std::vector<char *> argv;
  for (std::string &a : arguments)
    argv.push_back(a.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.code = runExecutable(int(argv.size()), argv.data(), &model.image);
  std::fflush(stdout);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

struct Row {
  float y, a, b;
};

/// Rows of a noisy rule.
inline std::vector<Row> makeRows(int64_t n, uint32_t seed = 1) {
  std::vector<Row> rows;
  uint32_t state = seed * 2654435761u + 12345;
  auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return float(int32_t(state >> 8)) / float(1 << 24) - .5f;
  };
  for (int64_t i = 0; i < n; ++i) {
    float a = std::round(next() * 1000) / 100, b = std::round(next() * 1000) / 100;
    rows.push_back({a - .5f * b + 2 * next() > .2f ? 1.f : 0.f, a, b});
  }
  return rows;
}

/// A directory of the test's own with data in it.
class CliTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sparsec-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    writeRows("train.csv", makeRows(53));
    writeRows("eval.csv", makeRows(37, 2));
  }
  void TearDown() override { fs::remove_all(root); }
  std::string at(const std::string &name) const { return root + "/" + name; }
  void writeText(const std::string &name, const std::string &text) const { std::ofstream(at(name)) << text; }
  void writeRows(const std::string &name, const std::vector<Row> &rows) const {
    std::string text = "y,a,b\n";
    for (const Row &r : rows)
      text += fmt::format("{},{},{}\n", r.y, r.a, r.b);
    writeText(name, text);
  }
  std::string read(const std::string &name) const {
    std::ifstream in(at(name));
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  /// "loss" of each line of a log.
  std::vector<double> losses(const std::string &name) const {
    std::ifstream in(at(name));
    std::vector<double> values;
    for (std::string line; std::getline(in, line);)
      values.push_back(nlohmann::json::parse(line).at("loss").get<double>());
    return values;
  }
  std::string root;
};

} // namespace sparsec::test
