// Fields to numbers, labels and ids: every rule of a feature.
#include "DataTest.h"
#include <cmath>
#include <limits>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

/// Reads texts as one column, a row each.
Read readColumn(FeatureColumn f, std::vector<std::string> texts, std::string delimiter = "\t") {
  Program p = program({f.name, "_"}, {f});
  p.data.delimiter = delimiter;
  std::string text;
  for (const std::string &t : texts)
    text += t + delimiter + "\n";
  return readText(p, text);
}
std::string column(FeatureColumn f, std::vector<std::string> texts) {
  std::string shown = readColumn(f, texts).shown;
  return shown.rfind(" c:", 0) == 0 ? shown.substr(3) : shown;
}

/// XXH64 as its specification has it, for texts below 32 bytes: the reader's must agree on every platform.
uint64_t xxh64(const std::string &text, uint64_t seed) {
  const uint64_t p1 = 11400714785074694791ull, p2 = 14029467366897019727ull, p3 = 1609587929392839161ull,
                 p4 = 9650029242287828579ull, p5 = 2870177450012600261ull;
  auto rotl = [](uint64_t x, int r) { return (x << r) | (x >> (64 - r)); };
  uint64_t h = seed + p5 + text.size();
  size_t i = 0;
  auto word = [&](int bytes) {
    uint64_t v = 0;
    for (int k = 0; k < bytes; ++k)
      v |= uint64_t(uint8_t(text[i + k])) << (8 * k);
    i += bytes;
    return v;
  };
  while (text.size() - i >= 8)
    h = rotl(h ^ (rotl(word(8) * p2, 31) * p1), 27) * p1 + p4;
  if (text.size() - i >= 4)
    h = rotl(h ^ (word(4) * p1), 23) * p2 + p3;
  while (i < text.size())
    h = rotl(h ^ (word(1) * p5), 11) * p1;
  h = (h ^ (h >> 33)) * p2;
  h = (h ^ (h >> 29)) * p3;
  return h ^ (h >> 32);
}

const std::string least = "-9223372036854775808", most = "9223372036854775807";

} // namespace

TEST(Transforms, Identity) {
  FeatureColumn f = category("c", "identity", 10);
  EXPECT_EQ(column(f, {"0", "9", "007"}), "[0][9][7]");
  EXPECT_EQ(column(f, {"10"}), "f:1:1: feature `c`: id 10 is outside [0, 10) (sample 0)");
  EXPECT_EQ(column(f, {"1", "-1"}), "f:2:1: feature `c`: id -1 is outside [0, 10) (sample 1)");
  EXPECT_EQ(column(f, {least}), "f:1:1: feature `c`: id " + least + " is outside [0, 10) (sample 0)");
  EXPECT_EQ(column(f, {most}), "f:1:1: feature `c`: id " + most + " is outside [0, 10) (sample 0)");
  EXPECT_EQ(column(f, {"9223372036854775808"}),
            "f:1:1: feature `c`: expected a number of 64 bits, but got `9223372036854775808` (sample 0)");
  for (const char *text : {"1.0", "1e0", "x", "1 ", " 1", "+1", "--1", "-", "0x1", "1,2"})
    EXPECT_EQ(column(f, {text}),
              std::string("f:1:1: feature `c`: expected an integer, but got `") + text + "` (sample 0)");
  f.ids = INT64_MAX;
  EXPECT_EQ(column(f, {"9223372036854775806"}), "[9223372036854775806]");
}

TEST(Transforms, Policies) {
  FeatureColumn f = category("c", "identity", 10);
  f.separator = "|";
  auto counters = [&](const std::string &policy) {
    f.outOfRange = policy;
    return readColumn(f, {"1|10|2", "-1", most + "|" + least + "|9"});
  };
  Read drop = counters("DROP");
  EXPECT_EQ(drop.shown, " c:[1,2][][9]");
  EXPECT_EQ(drop.counters.features[0].dropped, 4);
  Read zero = counters("ZERO");
  EXPECT_EQ(zero.shown, " c:[1,2]#3[]#1[9]#3");
  EXPECT_EQ(zero.counters.features[0].zeroed, 4);
  EXPECT_EQ(zero.counters.features[0].dropped, 0);
  Read clamp = counters("CLAMP");
  EXPECT_EQ(clamp.shown, " c:[1,9,2][0][9,0,9]");
  EXPECT_EQ(clamp.counters.features[0].clamped, 4);
  Read error = counters("ERROR");
  EXPECT_EQ(error.shown, "f:1:1: feature `c`: id 10 is outside [0, 10) (sample 0)");
  // A malformed id is no id out of range.
  f.outOfRange = "ZERO";
  EXPECT_EQ(column(f, {"1|x"}), "f:1:1: feature `c`: expected an integer, but got `x` (sample 0)");
}

TEST(Transforms, CountsAreNullWhenEqual) {
  Files files;
  Program p = program({"c"}, {category("c", "identity", 10)}, 1);
  p.features[0].outOfRange = "ZERO";
  auto source = open(p, {files.write("f", "1\n11\n2\n")}, ReaderOptions::train(p, 0));
  EXPECT_EQ(source->next()->ids[0].view().counts, nullptr);
  const SparsecJagged &zeroed = source->next()->ids[0].view();
  ASSERT_NE(zeroed.counts, nullptr);
  EXPECT_EQ(zeroed.counts[0], 1);
  EXPECT_EQ(zeroed.offsets[1], 0);
  EXPECT_EQ(source->next()->ids[0].view().counts, nullptr); // also when the memory is used again
}

TEST(Transforms, Modulo) {
  FeatureColumn f = category("c", "modulo", 10);
  EXPECT_EQ(column(f, {"0", "10", "23", "-1", "-10", "-23", most, least}), "[0][0][3][9][0][7][7][2]");
  EXPECT_EQ(column(f, {"1.5"}), "f:1:1: feature `c`: expected an integer, but got `1.5` (sample 0)");
  f.ids = INT64_MAX;
  EXPECT_EQ(column(f, {most, least}), "[0][9223372036854775806]");
  f.ids = 1;
  EXPECT_EQ(column(f, {most, least}), "[0][0]");
}

TEST(Transforms, Hash) {
  EXPECT_EQ(xxh64("", 0), 0xef46db3751d8e999ull); // published test vectors
  EXPECT_EQ(xxh64("a", 0), 0xd24ec4f1a98c6e5bull);
  EXPECT_EQ(xxh64("abc", 0), 0x44bc2cf5ad770999ull);
  for (uint64_t seed : {uint64_t(0), uint64_t(1), UINT64_MAX})
    for (int64_t ids : {int64_t(1), int64_t(1000000), INT64_MAX}) {
      FeatureColumn f = category("c", "hash", ids);
      f.hashSeed = seed;
      f.missing = "AS_TEXT";
      std::string expected;
      std::vector<std::string> texts = {"a", "05db9164", "caf\xc3\xa9", "twenty and seven bytes long", "", "\xff\xfe"};
      for (const std::string &t : texts)
        expected += "[" + std::to_string(xxh64(t, seed) % ids) + "]";
      EXPECT_EQ(column(f, texts), expected);
    }
}

TEST(Transforms, Vocabulary) {
  FeatureColumn f = category("c", "vocabulary", 0);
  f.words = {"red", "green", "gr"};
  EXPECT_EQ(column(f, {"gr", "red", "green"}), "[2][0][1]");
  EXPECT_EQ(column(f, {"blue"}), "f:1:1: feature `c`: the vocabulary of 3 words has no `blue` (sample 0)");
  f.oovIds = 5;
  EXPECT_EQ(column(f, {"blue", "red"}), "[" + std::to_string(3 + xxh64("blue", 0) % 5) + "][0]");
  f.oovIds = 0;
  f.outOfRange = "DROP";
  EXPECT_EQ(column(f, {"blue", "red"}), "[][0]");
  f.outOfRange = "ZERO";
  EXPECT_EQ(column(f, {"blue", "red"}), "[]#1[0]");
  f.outOfRange = "CLAMP";
  EXPECT_EQ(column(f, {"blue"}), "feature `c`: `CLAMP` is for `identity` only");
}

TEST(Transforms, Bucketize) {
  FeatureColumn f = category("c", "bucketize", 0);
  f.bounds = {-1, 0, 2.5};
  EXPECT_EQ(column(f, {"-2", "-1", "-0.5", "0", "-0", "2.4", "2.5", "1e300"}), "[0][1][1][2][2][2][3][3]");
  EXPECT_EQ(column(f, {"nan"}), "f:1:1: feature `c`: expected a finite number, but got `nan` (sample 0)");
  EXPECT_EQ(column(f, {"x"}), "f:1:1: feature `c`: expected a number, but got `x` (sample 0)");
  f.bounds = {1, 1};
  EXPECT_EQ(column(f, {"1"}), "feature `c`: `bounds` must ascend");
}

TEST(Transforms, Bags) {
  FeatureColumn f = category("c", "identity", 100);
  f.separator = "|";
  f.missing = "EMPTY_BAG";
  EXPECT_EQ(column(f, {"1|2|3", "", "4", "5|5"}), "[1,2,3][][4][5,5]");
  EXPECT_EQ(column(f, {"1||2"}), "f:1:1: feature `c`: expected an integer, but got `` (sample 0)");
  EXPECT_EQ(column(f, {"1|"}), "f:1:1: feature `c`: expected an integer, but got `` (sample 0)");
  f.separator = "::";
  EXPECT_EQ(column(f, {"1::2"}), "[1,2]");
  EXPECT_EQ(column(f, {"1:2"}), "f:1:1: feature `c`: expected an integer, but got `1:2` (sample 0)");
}

TEST(Transforms, EmptyBagsEverywhere) {
  FeatureColumn f = category("c", "identity", 100);
  f.missing = "EMPTY_BAG";
  EXPECT_EQ(column(f, {"", "1", "", "2", ""}), "[][1][][2][]");
  EXPECT_EQ(column(f, {"", "", ""}), "[][][]");
}

TEST(Transforms, Cut) {
  FeatureColumn f = category("c", "identity", 100);
  f.separator = "|";
  f.maxLength = 2;
  Read first = readColumn(f, {"1|2|3|4", "5", "6|7"});
  EXPECT_EQ(first.shown, " c:[1,2][5][6,7]");
  EXPECT_EQ(first.counters.features[0].cut, 2);
  f.keep = "LAST";
  Read last = readColumn(f, {"1|2|3|4", "5", "6|7"});
  EXPECT_EQ(last.shown, " c:[3,4][5][6,7]");
  EXPECT_EQ(last.counters.features[0].cut, 2);
  // Cut before transform and policy: what is cut need not be sound, and dropped ids do not make room.
  EXPECT_EQ(column(f, {"x|3|4"}), "[3,4]");
  f.outOfRange = "DROP";
  EXPECT_EQ(column(f, {"1|2|300"}), "[2]");
}

TEST(Transforms, Weights) {
  FeatureColumn f = category("c", "hash", 1 << 20);
  f.separator = "|";
  f.weightSeparator = ":";
  f.missing = "EMPTY_BAG";
  auto id = [](const std::string &t) { return std::to_string(xxh64(t, 0) % (1 << 20)); };
  EXPECT_EQ(column(f, {"a:0.5|b:-2", "", "x:y:1"}),
            "[" + id("a") + "*0x1p-1," + id("b") + "*-0x1p+1][][" + id("x:y") + "*0x1p+0]");
  EXPECT_EQ(column(f, {"a:1|b"}), "f:1:1: feature `c`: expected an id, `:` and a weight, but got `b` (sample 0)");
  EXPECT_EQ(column(f, {"a:"}), "f:1:1: feature `c`: expected a number as weight, but got `` (sample 0)");
  EXPECT_EQ(column(f, {"a:inf"}), "f:1:1: feature `c`: expected a finite number as weight, but got `inf` (sample 0)");
  EXPECT_EQ(column(f, {"a:1e39"}), "f:1:1: feature `c`: expected a finite number as weight, but got `1e39` (sample 0)");
  FeatureColumn zero = category("c", "identity", 10);
  zero.separator = "|";
  zero.weightSeparator = ":";
  zero.outOfRange = "ZERO";
  EXPECT_EQ(column(zero, {"1:2|99:4|3:8"}), "[1*0x1p+1,3*0x1p+3]#3");
}

TEST(Transforms, MissingPolicies) {
  FeatureColumn f = category("c", "vocabulary", 0);
  f.words = {"a", "b"};
  EXPECT_EQ(column(f, {"a", ""}),
            "f:2:1: feature `c`: the value is missing; `missing: EMPTY_BAG` or `missing: AS_TEXT` "
            "would accept that (sample 1)");
  f.missing = "EMPTY_BAG";
  EXPECT_EQ(column(f, {"a", ""}), "[0][]");
  f.missing = "AS_TEXT";
  EXPECT_EQ(column(f, {"a", ""}), "f:2:1: feature `c`: the vocabulary of 2 words has no `` (sample 1)");
  f.words.push_back("");
  EXPECT_EQ(column(f, {"a", ""}), "[0][2]");
}

TEST(Transforms, SameLength) {
  Program p = program({"a", "b"}, {category("a", "identity", 10), category("b", "identity", 10)});
  for (auto &f : p.features) {
    f.separator = "|";
    f.missing = "EMPTY_BAG";
    f.sameLengthAs = "a"; // itself too, as a block with two names has it
  }
  EXPECT_EQ(readText(p, "1|2,3|4\n,\n5,6\n").shown, " a:[1,2][][5] b:[3,4][][6]");
  EXPECT_EQ(readText(p, "1,2\n1|2,3\n").shown,
            "f:2:5: feature `b`: has 1 ids, but `a` has 2 (`same_length_as`) (sample 1)");
  EXPECT_EQ(readText(p, "1,\n").shown, "f:1:3: feature `b`: has 0 ids, but `a` has 1 (`same_length_as`) (sample 0)");
  p.features[0].outOfRange = p.features[1].outOfRange = "DROP";
  EXPECT_EQ(readText(p, "1|99|2,3|99|4\n").shown, " a:[1,2] b:[3,4]");
  EXPECT_EQ(readText(p, "1|99|2,99|3|4\n").shown, "f:1:8: feature `b`: ids out of range were taken out at other places "
                                                  "than in `a` (`same_length_as`) (sample 0)");
  p.features[1].sameLengthAs = "z";
  EXPECT_EQ(readText(p, "1,1\n").shown, "feature `b`: `same_length_as` needs two features with bags, but got `z`");
}

TEST(Transforms, Numbers) {
  Program p = program({"n"}, {number("n")});
  auto value = [&](const std::string &text) {
    Files files;
    ReaderOptions o = ReaderOptions::train(p, 0);
    auto source = open(p, {files.write("f", text + "\n")}, o);
    const Batch *b = source->next();
    EXPECT_TRUE(b->status.ok()) << b->status.message();
    return b->samples ? b->inputs[0][0] : NAN;
  };
  for (const char *text : {"0",
                           "1",
                           "-1",
                           "3.25",
                           "-0.1",
                           ".5",
                           "5.",
                           "0.1234567890123",
                           "123456789012345",
                           "1e5",
                           "1E-5",
                           "+7",
                           "1234567890123456789",
                           "16777217",
                           "0.000001",
                           "3.4028234e38",
                           "1e-45",
                           "1e-400",
                           "-1e-400",
                           "0.30000000000000004",
                           "9007199254740993",
                           "00012"})
    EXPECT_EQ(value(text), float(std::strtod(text, nullptr))) << text;
  EXPECT_TRUE(std::signbit(value("-0")));
  for (const char *text : {"x", "1x", "1 ", "1.2.3", ".", "-", "+", "+-1", "1e", "0x10", "1_000", "--1", "e5"})
    EXPECT_EQ(readText(p, std::string(text) + "\n").shown,
              std::string("f:1:1: feature `n`: expected a number, but got `") + text + "` (sample 0)");
  for (const char *text : {"nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999"})
    EXPECT_EQ(readText(p, std::string(text) + "\n").shown,
              std::string("f:1:1: feature `n`: expected a finite number, but got `") + text + "` (sample 0)");
  EXPECT_EQ(readText(p, "1e39\n").shown, "f:1:1: feature `n`: 1e+39 does not fit a float of 32 bits (sample 0)");
}

TEST(Transforms, NumberSteps) {
  FeatureColumn f = number("n");
  f.fill = -5;
  f.steps = {
      {"min", 0, 0, 1}, {"log_plus", 1, 0, 1}, {"max", 2, 0, 1}, {"scale", 10, 0, 1}, {"standardise", 0, 3, 0.5}};
  Files files;
  Program p = program({"n", "_"}, {f}, 10);
  auto source = open(p, {files.write("f", "-7,\n,\n1.5,\n1000,\n")}, ReaderOptions::train(p, 0));
  const Batch *b = source->next();
  ASSERT_EQ(b->samples, 4);
  EXPECT_EQ(b->inputs[0][0], -6.0f);
  EXPECT_EQ(b->inputs[0][1], -6.0f); // the steps apply to the fill, too
  EXPECT_EQ(b->inputs[0][2], float((std::log(2.5) * 10 - 3) / 0.5));
  EXPECT_EQ(b->inputs[0][3], 34.0f);
  p.features[0].steps = {{"log_plus", 1, 0, 1}};
  EXPECT_EQ(readText(p, "0,\n-1,\n").shown,
            "f:2:1: feature `n`: `log_plus: 1` needs a number above -1, but got -1 (sample 1)");
  p.features[0].fill.reset();
  EXPECT_EQ(readText(p, ",\n").shown,
            "f:1:1: feature `n`: the value is missing; `number { fill: .. }` would accept that (sample 0)");
}

TEST(Transforms, WideNumbers) {
  FeatureColumn f = number("n");
  f.width = 3;
  f.separator = "|";
  f.fill = 1;
  Program p = program({"n", "m"}, {f, number("m")});
  EXPECT_EQ(readText(p, "2|4|8,0.5\n,0.25\n").shown, "|0x1p+1,0x1p+2,0x1p+3,0x1p-1|0x1p+0,0x1p+0,0x1p+0,0x1p-2");
  EXPECT_EQ(readText(p, "1|2,0\n").shown, "f:1:1: feature `n`: expected 3 numbers, but got 2 (sample 0)");
  EXPECT_EQ(readText(p, "1|2|3|4,0\n").shown, "f:1:1: feature `n`: expected 3 numbers, but got 4 (sample 0)");
  EXPECT_EQ(readText(p, "1||3,0\n").shown, "f:1:1: feature `n`: expected a number, but got `` (sample 0)");
}

// One feature in two input blocks, in other orders; another in none.
TEST(Transforms, InputBlocks) {
  Program p = program({"a", "b", "c"}, {number("a"), number("b"), number("c")});
  p.inputs = {{{1, 0}, 2}, {{0}, 1}};
  EXPECT_EQ(readText(p, "1,2,4\n8,16,32\n").shown, "|0x1p+1,0x1p+0|0x1p+4,0x1p+3|0x1p+0|0x1p+3");
}

TEST(Transforms, Labels) {
  Program p = program({"y", "_"}, {});
  EXPECT_EQ(readText(p, "1,\n0,\n0.25,\n").shown, " y0x1p+0 y0x0p+0 y0x1p-2");
  EXPECT_EQ(readText(p, "yes,\n").shown, "f:1:1: label `y`: expected a number, but got `yes` (sample 0)");
  EXPECT_EQ(readText(p, "nan,\n").shown, "f:1:1: label `y`: expected a finite number, but got `nan` (sample 0)");
  EXPECT_EQ(readText(p, ",\n").shown, "f:1:1: label `y`: the value is missing (sample 0)");
  EXPECT_EQ(readText(p, "2,\n").shown,
            "f:1:1: label `y`: a task with loss `bce` needs labels in [0, 1], but got `2` (sample 0)");
  p.tasks[0].loss = "mse";
  EXPECT_EQ(readText(p, "2,\n-3,\n").shown, " y0x1p+1 y-0x1.8p+1");
  p.labels[0].positive = {">50K", ">50K."};
  p.labels[0].negative = {"<=50K"};
  EXPECT_EQ(readText(p, ">50K.,\n<=50K,\n>50K,\n").shown, " y0x1p+0 y0x0p+0 y0x1p+0");
  EXPECT_EQ(readText(p, "<50K,\n").shown,
            "f:1:1: label `y`: `<50K` is neither among its `positive` nor its `negative` texts (sample 0)");
  EXPECT_EQ(readText(p, ",\n").shown, "f:1:1: label `y`: the value is missing (sample 0)");
}
