// Real files, where they are at hand: ../shared/data next to the project. Skipped elsewhere.
#include "DataTest.h"
#include <cmath>
#include <cstdlib>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

std::string shared(const std::string &path) { return std::string(SPARSEC_SOURCE_DIR) + "/../shared/data/" + path; }

/// An .xz file as plain text in `files`; empty if it cannot be had.
std::string unpack(const Files &files, const std::string &path) {
  std::string out = files.path("unpacked");
  if (!std::filesystem::exists(shared(path)) ||
      std::system(("xz -dc '" + shared(path) + "' > '" + out + "' 2>/dev/null").c_str()) != 0)
    return "";
  return out;
}

Program adult() {
  Program p = program({"age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
                       "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
                       "native-country", "income"},
                      {number("age"), number("capital-gain"), category("workclass", "vocabulary", 0),
                       category("sex", "vocabulary", 0), category("native-country", "hash", 256)},
                      256);
  p.data.trim = true;
  p.data.missing = {"?"};
  p.data.comment = "|";
  p.labels = {{"income", "income", {">50K", ">50K."}, {"<=50K", "<=50K."}}};
  p.tasks = {{"income", "bce", 0, 1}};
  p.features[1].steps = {{"log_plus", 1, 0, 1}};
  p.features[2].missing = p.features[4].missing = "AS_TEXT";
  p.features[2].words = {"?",         "Private",   "Self-emp-not-inc", "Self-emp-inc", "Federal-gov",
                         "Local-gov", "State-gov", "Without-pay",      "Never-worked"};
  p.features[3].words = {"Male", "Female"};
  return p;
}

struct Sums {
  int64_t samples = 0;
  double labels = 0, age = 0, women = 0;
  DataCounters counters;
};
Sums sum(const Program &p, const std::vector<std::string> &files, ReaderOptions o) {
  Sums s;
  auto source = open(p, files, o);
  while (const Batch *b = source->next()) {
    EXPECT_TRUE(b->status.ok()) << b->status.message();
    s.samples += b->samples;
    for (int64_t i = 0; i < b->samples; ++i) {
      s.labels += b->labels[0][i];
      s.age += b->inputs[0][2 * i];
      s.women += double(b->ids[3].view().values[i]);
    }
  }
  s.counters = source->counters();
  return s;
}

} // namespace

// Counts by an independent script (awk) over the same files.
TEST(Fixtures, Adult) {
  Files train, test;
  std::string one = unpack(train, "adult/adult.data.xz"), two = unpack(test, "adult/adult.test.xz");
  if (one.empty() || two.empty())
    GTEST_SKIP() << "no adult data";
  Program p = adult();
  Sums s = sum(p, {one}, ReaderOptions::train(p, 0));
  EXPECT_EQ(s.samples, 32561);
  EXPECT_EQ(s.labels, 7841);
  EXPECT_EQ(s.age, 1256257);
  EXPECT_EQ(s.women, 10771);
  EXPECT_EQ(s.counters.features[2].missing, 1836);
  EXPECT_EQ(s.counters.commentLines, 0);
  ReaderOptions shuffled = ReaderOptions::train(p, 0);
  shuffled.shuffleRows = 40000;
  shuffled.threads = 2;
  Sums t = sum(p, {one}, shuffled);
  EXPECT_EQ(t.labels, 7841);
  EXPECT_EQ(t.age, s.age);
  Sums e = sum(p, {two}, ReaderOptions::evaluate(p, 0));
  EXPECT_EQ(e.samples, 16281);
  EXPECT_EQ(e.labels, 3846);
}

TEST(Fixtures, TinyCsv) {
  std::string path = shared("tiny/tiny_csv/train_sample.csv");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no tiny data";
  FeatureColumn sequence = category("click_sequence", "hash", 1000);
  sequence.separator = "^";
  sequence.maxLength = 5;
  sequence.keep = "LAST";
  sequence.missing = "EMPTY_BAG";
  FeatureColumn level = category("pvalue_level", "identity", 4);
  level.missing = "EMPTY_BAG";
  Program p = program({}, {number("price"), category("userid", "modulo", 100), sequence, level}, 32);
  p.data.header = true;
  p.labels = {{"clk", "clk", {}, {}}};
  p.tasks = {{"clk", "bce", 0, 1}};
  Read r = readAll(p, {path});
  EXPECT_EQ(r.shown.find(path), std::string::npos) << r.shown;
  EXPECT_EQ(r.counters.samples, 100);
  EXPECT_EQ(r.counters.features[2].missing, 75);
  EXPECT_EQ(r.counters.features[2].cut, 1);
}

TEST(Fixtures, MovieLens) {
  std::string path = shared("tiny/rechub/ml-1m_sample.csv");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no tiny data";
  FeatureColumn genres = category("genres", "hash", 100), gender = category("gender", "vocabulary", 0);
  genres.separator = "|";
  gender.words = {"F", "M"};
  Program p = program({}, {category("title", "hash", 10000), genres, gender}, 32);
  p.data.header = true;
  p.data.quote = "\"";
  p.labels = {{"rating", "rating", {}, {}}};
  p.tasks = {{"rating", "mse", 0, 1}};
  Read r = readAll(p, {path});
  EXPECT_EQ(r.counters.samples, 100) << r.shown;
  p.data.quote = ""; // titles hold commas: without quotes a row has too many columns
  EXPECT_NE(readAll(p, {path}).shown.find("expected 10 columns, but got 11"), std::string::npos);
}

TEST(Fixtures, Criteo) {
  Files files;
  std::string path = unpack(files, "criteo/criteo_dac8000.tsv.xz");
  if (path.empty())
    GTEST_SKIP() << "no criteo data";
  Program p;
  p.data.delimiter = "\t";
  p.data.column = {"label"};
  p.labels = {{"label", "label", {}, {}}};
  p.tasks = {{"click", "bce", 0, 1}};
  p.inputs.resize(1);
  for (int i = 0; i < 39; ++i) {
    std::string name = i < 13 ? "I" + std::to_string(i + 1) : "C" + std::to_string(i - 12);
    p.data.column.push_back(name);
    p.features.push_back(i < 13 ? number(name) : category(name, "hash", 1000000));
    if (i < 13) {
      p.features[i].fill = 0;
      p.features[i].steps = {{"min", 0, 0, 1}, {"log_plus", 1, 0, 1}};
      p.inputs[0].features.push_back(i);
    } else {
      p.features[i].missing = "AS_TEXT";
    }
  }
  p.inputs[0].width = 13;
  Read r = readAll(p, {path});
  EXPECT_EQ(r.counters.samples, 8000) << r.shown.substr(0, 200);
  EXPECT_EQ(r.counters.features[0].missing, 3612);
  EXPECT_EQ(r.counters.features[38].missing, 3623);
}
