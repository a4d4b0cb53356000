// Errors: the place, the words, and what the stream does afterwards.
#include "DataTest.h"

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

Program two() { return program({"a", "b"}, {number("a"), category("b", "identity", 5)}, 2); }

} // namespace

TEST(Errors, ColumnCounts) {
  EXPECT_EQ(readText(two(), "1,2\n1\n").shown, "f:2:2: expected 2 columns, but got 1 (sample 1)");
  EXPECT_EQ(readText(two(), "1,2,3\n").shown, "f:1:5: expected 2 columns, but got 3 (sample 0)");
  EXPECT_EQ(readText(two(), "1,2,\n").shown, "f:1:5: expected 2 columns, but got 3 (sample 0)");
  Program quoted = two();
  quoted.data.quote = "\"";
  EXPECT_EQ(readText(quoted, "\"1\",2,3\n").shown, "f:1:7: expected 2 columns, but got 3 (sample 0)");
  EXPECT_EQ(readText(quoted, "\"1,2\"\n").shown, "f:1:6: expected 2 columns, but got 1 (sample 0)");
}

TEST(Errors, CountsLinesOfAllKinds) {
  Program p = two();
  p.data.comment = "#";
  EXPECT_EQ(readText(p, "#\n\n1,2\r\n\r\n#\n1,x\n").shown,
            "f:6:3: feature `b`: expected an integer, but got `x` (sample 1)");
}

TEST(Errors, ColumnsAreCharacters) {
  Program p = program({"_", "b"}, {category("b", "identity", 5)});
  EXPECT_EQ(readText(p, "caf\xc3\xa9,9\n").shown, "f:1:6: feature `b`: id 9 is outside [0, 5) (sample 0)");
  EXPECT_EQ(readText(p, "\xef\xbb\xbfz,9\n").shown, "f:1:3: feature `b`: id 9 is outside [0, 5) (sample 0)");
  p.data.trim = true; // the place is the field's, blanks included
  EXPECT_EQ(readText(p, "a,   9\n").shown, "f:1:3: feature `b`: id 9 is outside [0, 5) (sample 0)");
  p.data.quote = "'";
  EXPECT_EQ(readText(p, "'a,b','9'\n").shown, "f:1:7: feature `b`: id 9 is outside [0, 5) (sample 0)");
}

TEST(Errors, TheLeftmostOfARowTheFirstOfTheRows) {
  EXPECT_EQ(readText(two(), "1,2\nx,9\ny,9\n").shown, "f:2:1: feature `a`: expected a number, but got `x` (sample 1)");
}

TEST(Errors, LongAndStrangeTexts) {
  Program p = program({"a"}, {number("a")});
  EXPECT_EQ(readText(p, std::string("a\0b\x01", 4) + "\n").shown,
            "f:1:1: feature `a`: expected a number, but got `a\\x00b\\x01` (sample 0)");
  EXPECT_EQ(readText(p, std::string(1000, 'z') + "\n").shown,
            "f:1:1: feature `a`: expected a number, but got `" + std::string(60, 'z') + "...` (sample 0)");
}

TEST(Errors, Files) {
  Files files;
  std::string good = files.write("good", "1,2\n"), empty = files.write("empty", ""),
              blank = files.write("blank", "\n\n");
  Program p = two();
  EXPECT_EQ(readAll(p, {files.path("none")}).shown, files.path("none") + ": cannot read: No such file or directory");
  EXPECT_EQ(readAll(p, {good, empty}).shown, empty + ": the file is empty");
  EXPECT_EQ(readAll(p, {good, blank}).shown, blank + ": the file has no rows");
  EXPECT_EQ(readAll(p, {files.write("bom", "\xef\xbb\xbf")}).shown, files.path("bom") + ": the file is empty");
  EXPECT_EQ(readAll(p, {files.path("")}).shown, files.path("") + ": expected a file, but got a folder");
  EXPECT_EQ(readAll(p, {}).shown, "data: no files");
  EXPECT_EQ(readAll(p, {good, files.write("bad", "\n1,7\n")}).shown,
            files.path("bad") + ":2:3: feature `b`: id 7 is outside [0, 5) (sample 1)");
}

TEST(Errors, Columns) {
  Program p = two();
  p.data.column = {};
  EXPECT_EQ(readText(p, "1,2\n").shown, "data: without a header, `column` must name the columns");
  p.data.column = {"a", "c"};
  EXPECT_EQ(readText(p, "1,2\n").shown, "feature `b`: no column `b` in `data.column`");
  p.data.column = {"a", "b", "b"};
  EXPECT_EQ(readText(p, "1,2,3\n").shown, "feature `b`: column `b` is twice in `data.column`");
}

TEST(Errors, Options) {
  Files files;
  Program p = two();
  std::string f = files.write("f", "1,2\n");
  auto refused = [&](auto change) {
    ReaderOptions o = ReaderOptions::train(p, 0);
    Program changed = p;
    change(o, changed);
    auto r = openReader(changed, {f}, o);
    return r.ok() ? "accepted" : r.status().message();
  };
  EXPECT_EQ(refused([](auto &, auto &) {}), "accepted");
  EXPECT_EQ(refused([](auto &o, auto &) { o.batchSize = 0; }),
            "data: the batch size must lie in [1, 1099511627776], but is 0");
  EXPECT_EQ(refused([](auto &o, auto &) { o.rank = 1; }), "data: expected a rank in [0, 1), but got 1");
  EXPECT_NE(refused([](auto &o, auto &) { o.shuffleRows = -1; }), "accepted");
  EXPECT_NE(refused([](auto &, auto &p) { p.data.delimiter = ""; }), "accepted");
  EXPECT_NE(refused([](auto &, auto &p) { p.data.delimiter = "::"; }), "accepted");
  EXPECT_NE(refused([](auto &, auto &p) { p.data.quote = ","; }), "accepted");
  EXPECT_EQ(refused([](auto &, auto &p) { p.features[1].ids = 0; }), "feature `b`: `ids` must be at least 1");
  EXPECT_EQ(refused([](auto &, auto &p) { p.features[1].kind = "crossed"; }), "feature `b`: it has no known kind");
  EXPECT_EQ(refused([](auto &, auto &p) {
              p.features[0].steps = {{"sqrt", 0, 0, 1}};
            }),
            "feature `a`: unknown step `sqrt`");
  EXPECT_EQ(refused([](auto &, auto &p) {
              p.features[0].steps = {{"standardise", 0, 0, 0}};
            }),
            "feature `a`: `stddev` must be above 0, but is 0");
}

// A batch at fault says so and keeps its place; others are not touched by it.
TEST(Errors, ArePropertiesOfABatch) {
  Files files;
  Program p = two();
  std::string f = files.write("f", "1,1\n2,2\n3,9\n4,4\n5,0\n");
  for (int threads : {0, 1, 4}) {
    ReaderOptions o = ReaderOptions::train(p, 0);
    o.threads = threads;
    auto source = open(p, {f}, o);
    EXPECT_EQ(source->next()->samples, 2);
    const Batch *bad = source->next();
    EXPECT_EQ(bad->status.message(), f + ":3:3: feature `b`: id 9 is outside [0, 5) (sample 2)");
    EXPECT_EQ(bad->samples, 0);
    EXPECT_EQ(bad->globalSamples, 2);
    EXPECT_EQ(bad->ids[1].view().bags, 0);
    EXPECT_EQ(bad->ids[1].view().offsets[0], 0);
    const Batch *last = source->next();
    EXPECT_TRUE(last->status.ok());
    EXPECT_EQ(last->samples, 1);
    EXPECT_TRUE(last->lastOfEpoch);
    EXPECT_EQ(source->next(), nullptr);
  }
  // Only the rank that has the row sees it: the others are told by a message of the step.
  ReaderOptions o = ReaderOptions::train(p, 1);
  o.ranks = 2;
  auto other = open(p, {f}, o);
  for (int t = 0; t < 3; ++t)
    EXPECT_TRUE(other->next()->status.ok());
}

TEST(Errors, InAShuffledStream) {
  Files files;
  Program p = two();
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += std::to_string(i) + (i == 61 ? ",x\n" : ",1\n");
  std::string f = files.write("f", text);
  ReaderOptions o = ReaderOptions::train(p, 0);
  o.shuffleRows = 30;
  o.threads = 3;
  auto source = open(p, {f}, o);
  int bad = 0;
  while (const Batch *b = source->next())
    if (!b->status) {
      ++bad;
      EXPECT_EQ(b->status.message(), f + ":62:4: feature `b`: expected an integer, but got `x` (sample 61)");
    }
  EXPECT_EQ(bad, 1);
}

// Bytes that are mapped but no longer in the file would end the process.
TEST(Errors, AFileThatShrinks) {
  Files files;
  Program p = two();
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "1,2\n";
  for (int threads : {0, 2}) {
    std::string f = files.write("f", text);
    ReaderOptions o = ReaderOptions::train(p, 0);
    o.threads = threads;
    o.epochs = 1;
    auto source = open(p, {f}, o);
    EXPECT_TRUE(source->next()->status.ok());
    std::filesystem::resize_file(f, 8);
    // Rows that were found before may still be parsed, as zeros.
    const std::string shrunk = f + ": the file has shrunk from 400000 to 8 bytes since it was opened";
    const Batch *b = source->next();
    while (b && b->status.message() != shrunk)
      b = source->next();
    EXPECT_TRUE(b);
  }
}
