#include "SampleCases.h"
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace sparsec::execution {

static const std::string folderOfSamples = SPARSEC_SOURCE_DIR "/samples/";

const std::vector<Sample> &samples() {
  static const std::vector<Sample> list = {
      {"adult_wide_deep", {"adult/model.textproto", "adult/features.textproto"}, {}, Sample::adult},
      {"adult_deepfm", {"adult/deepfm.textproto", "adult/features.textproto"}, {}, Sample::adult},
      {"adult_dcnv2", {"adult/dcnv2.textproto", "adult/features.textproto"}, {}, Sample::adult},
      {"adult_dlrm", {"adult/dlrm.textproto", "adult/features.textproto"}, {}, Sample::adult},
      {"criteo_small", {"criteo_dlrm/small.textproto"}, {{"batch_size: 128", "batch_size: 32"}}, Sample::words},
      {"criteo_dlrm",
       {"criteo_dlrm/model.textproto"},
       {{"batch_size: 2048", "batch_size: 16"}, {"1000000", "2000"}},
       Sample::words},
      {"planted", {"planted/model.textproto"}, {{"batch_size: 256", "batch_size: 32"}}, Sample::words},
      {"mlperf_dlrm_dcnv2",
       {"mlperf_dlrm_dcnv2/model.textproto"},
       {{"batch_size: 65536", "batch_size: 8"},
        {"40000000", "400"},
        {"3067956", "300"},
        {"405282", "300"},
        {"590152", "300"},
        {"rank: 512", "rank: 32"},
        {"[1024, 1024, 512, 256]", "[64, 64, 32, 16]"}},
       Sample::lists}};
  return list;
}

static std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &replacements) {
  for (const auto &[from, to] : replacements) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

std::string description(const Sample &sample) {
  return replaced(readFile(folderOfSamples + sample.files.front()), sample.replacements);
}

std::vector<std::string> writeDescription(const Sample &sample, const TemporaryFolder &folder) {
  std::vector<std::string> paths;
  for (const std::string &file : sample.files) {
    paths.push_back(folder / std::to_string(paths.size()) + ".textproto");
    writeFile(paths.back(), paths.size() == 1 ? description(sample) : readFile(folderOfSamples + file));
  }
  return paths;
}

/// In Criteo's format: a label, 13 counts, 26 words; with `lists`, 26 lists of small ids instead.
static std::string criteoRows(int64_t rows, bool lists, uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](uint32_t n) { return random() % n; };
  std::string text;
  for (int64_t row = 0; row < rows; ++row) {
    text += std::to_string(below(4) == 0);
    for (int column = 0; column < 13; ++column)
      text += below(8) ? fmt::format("\t{}", below(1 + 10 * column)) : "\t";
    for (int column = 0; column < 26; ++column) {
      text += '\t';
      if (!lists && below(10))
        text += fmt::format("{:08x}", below(1 + 20 * column));
      for (uint32_t i = 0, n = 1 + below(4); lists && i < n; ++i)
        text += fmt::format("{}{}", i ? "," : "", below(3));
    }
    text += '\n';
  }
  return text;
}

/// A model on the host, in ways to run it that only differ in the order of sums.
class HostRuns {
public:
  explicit HostRuns(const std::vector<std::string> &files) : one(files, {1, 1, 1}, ""), two(files, {1, 1, 2}, "") {}

  bool areSteady(const std::string &data, int64_t steps) const {
    std::vector<double> first;
    for (const Compiled *program : {&one, &two})
      for (const char *vectors : {"DEFAULT", "AVX2", "AVX", "SSE41"}) {
        setenv("ONEDNN_MAX_CPU_ISA", vectors, 1);
        Trained trained = program->train(data, "steady", {.steps = steps});
        unsetenv("ONEDNN_MAX_CPU_ISA");
        EXPECT_TRUE(trained.ran.ok()) << program->errors() << trained.ran.err;
        if (first.empty())
          first = trained.losses;
        if (!sameWithin(trained.losses, first, 1e-6))
          return false;
      }
    return true;
  }

private:
  static bool sameWithin(const std::vector<double> &losses, const std::vector<double> &others, double limit) {
    for (size_t i = 0; i < others.size(); ++i)
      if (losses.size() != others.size() || !(std::abs(losses[i] - others[i]) <= limit * std::max(1.0, others[i])))
        return false;
    return !losses.empty();
  }
  Compiled one, two;
};

std::string writeRows(const Sample &sample, const std::vector<std::string> &files, int64_t steps,
                      const TemporaryFolder &folder) {
  if (sample.data == Sample::adult)
    return folderOfSamples + "adult/adult.data.gz";
  static std::map<std::string, uint32_t> steadySeeds; // looked for once a program
  std::string path = folder / "data.tsv";
  auto write = [&](uint32_t seed) { writeFile(path, criteoRows(2000, sample.data == Sample::lists, seed)); };
  if (auto known = steadySeeds.find(sample.name); known != steadySeeds.end()) {
    write(known->second);
    return path;
  }
  HostRuns host(files);
  for (uint32_t seed = 7; seed < 27; ++seed) {
    write(seed);
    if (host.areSteady(path, steps)) {
      steadySeeds[sample.name] = seed;
      return path;
    }
  }
  return "";
}

} // namespace sparsec::execution
