// Whatever the bytes are: a message or samples, never a crash. Run with sanitizers.
#include "DataTest.h"
#include <random>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

Program everything() {
  FeatureColumn bag = category("c", "identity", 100), words = category("d", "vocabulary", 0), wide = number("b");
  bag.separator = "|";
  bag.weightSeparator = ":";
  bag.missing = "EMPTY_BAG";
  bag.outOfRange = "ZERO";
  bag.maxLength = 3;
  bag.keep = "LAST";
  words.words = {"x", "1"};
  words.outOfRange = "DROP";
  words.missing = "AS_TEXT";
  wide.width = 2;
  wide.separator = "|";
  wide.fill = 0;
  Program p = program({"y", "b", "c", "d", "e"}, {wide, bag, words, category("e", "hash", 10)}, 8);
  p.features[3].missing = "AS_TEXT";
  p.data.quote = "\"";
  p.data.comment = "#";
  p.data.trim = true;
  return p;
}

/// Reads to the end; what comes out must be whole, whatever it is. `shuffled`: with threads, too.
void survives(const Program &p, const std::string &text, bool shuffled = false) {
  Files files;
  ReaderOptions o;
  o.batchSize = 8;
  o.shuffleRows = shuffled ? 5 : 0;
  o.threads = shuffled ? 2 : 0;
  auto source = openReader(p, {files.write("f", text)}, o);
  if (!source.ok()) {
    EXPECT_EQ(source.status().message().find(files.path("f")), 0u) << source.status().message();
    return;
  }
  int64_t samples = 0, global = 0;
  bool sound = true;
  while (const Batch *b = (*source)->next()) {
    show(p, *b);
    samples += b->samples;
    global += b->globalSamples;
    sound &= b->status.ok();
    if (!b->status) {
      EXPECT_EQ(b->status.message().find(files.path("f") + ":"), 0u) << b->status.message();
    }
  }
  EXPECT_EQ(global, (*source)->epochSamples());
  if (sound) {
    EXPECT_EQ(samples, global);
  }
}

} // namespace

TEST(Hostile, RandomBytes) {
  std::mt19937 generator(1);
  for (int i = 0; i < 100; ++i) {
    std::string text(generator() % 3000, 0);
    for (char &c : text)
      c = char(generator());
    survives(everything(), text, i % 3 == 0);
  }
}

TEST(Hostile, RandomPieces) {
  const std::vector<std::string> pieces = {",",
                                           "\n",
                                           "\"",
                                           "|",
                                           ":",
                                           "#",
                                           " ",
                                           "1",
                                           "0.5",
                                           "x",
                                           "\r",
                                           "\r\n",
                                           "-1",
                                           "1e9",
                                           "\"\"",
                                           "nan",
                                           std::string(1, '\0'),
                                           "\xff",
                                           "99",
                                           "\xef\xbb\xbf",
                                           "1,1|1,1:1,x,e\n",
                                           "0,,,,\n"};
  std::mt19937 generator(2);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int k = generator() % 200; k > 0; --k)
      text += pieces[generator() % pieces.size()];
    survives(everything(), text, i % 3 == 0);
  }
}

// Every byte of a sound file changed or cut off.
TEST(Hostile, Mutations) {
  std::string good = "1,1|2,3:0.5|4:1,x,\"e\"\n0,,,\"1\",e\r\n# no row\n1, 3|4 ,7:2,,\"\"\"\"\n";
  EXPECT_EQ(readText(everything(), good).counters.samples, 3);
  for (size_t at = 0; at < good.size(); ++at) {
    survives(everything(), good.substr(0, at));
    for (char c : {',', '\n', '"', '\0', '9', '\xff'}) {
      std::string text = good;
      text[at] = c;
      survives(everything(), text);
    }
  }
}

TEST(Hostile, LongLines) {
  Program p = program({"a", "b"}, {category("a", "hash", 10), category("b", "identity", 10)});
  std::string word(5 << 20, 'w');
  EXPECT_EQ(readText(p, word + ",3\n" + word + ",4").counters.samples, 2);
  EXPECT_EQ(readText(p, word).shown, "f:1:5242881: expected 2 columns, but got 1 (sample 0)");
  FeatureColumn bag = category("a", "identity", 10);
  bag.separator = "|";
  bag.maxLength = 1000;
  p.features[0] = bag;
  std::string ids = "7";
  for (int i = 0; i < 1000000; ++i)
    ids += "|8";
  Read r = readText(p, ids + ",3\n");
  EXPECT_EQ(r.counters.features[0].cut, 999001);
}

TEST(Hostile, ManyColumns) {
  std::vector<std::string> names;
  std::string row;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    names.push_back("c" + std::to_string(i));
    row += (i ? "," : "") + std::to_string(i % 10);
  }
  Program p = program(names, {number("c99999"), number("c0")});
  EXPECT_EQ(readText(p, row + "\n" + row + "\n").shown, "|0x1.2p+3,0x0p+0|0x1.2p+3,0x0p+0");
  EXPECT_EQ(readText(p, row + ",1\n").shown, "f:1:200001: expected 100000 columns, but got 100001 (sample 0)");
  std::string header;
  for (const std::string &name : names)
    header += name + ",";
  header.pop_back();
  p.data.header = true;
  p.data.column = {};
  EXPECT_EQ(readText(p, header + "\n" + row + "\n").shown, "|0x1.2p+3,0x0p+0");
  EXPECT_EQ(readText(p, header + "\n1\n").shown, "f:2:2: expected 100000 columns, but got 1 (sample 0)");
}

TEST(Hostile, NulBytes) {
  Program p = program({"a", "b"}, {category("a", "hash", 1 << 30), category("b", "hash", 1 << 30)});
  Read r = readText(p, std::string("x\0y,x\0z\n", 8));
  EXPECT_EQ(r.counters.samples, 1);
  size_t a = r.shown.find("a:"), b = r.shown.find("b:");
  EXPECT_NE(r.shown.substr(a + 2, b - a - 3), r.shown.substr(b + 2)); // all bytes count
  survives(p, std::string(10000, '\0'));
}

TEST(Hostile, OnlyLineEnds) {
  survives(everything(), std::string(100000, '\n'));
  survives(everything(), std::string(100000, '\r'));
  survives(everything(), std::string(100000, ',') + "\n");
}
