// Lines to fields: every setting of DataFormat.
#include "DataTest.h"
#include <zlib.h>
#include <zstd.h>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

Program words(std::vector<std::string> columns = {"a", "b"}) {
  Program p = program(columns, {});
  for (const std::string &c : columns) {
    FeatureColumn f = category(c, "vocabulary", 0);
    f.words = {"x", "y z", "q\"q", "a,b", "", "?"};
    f.missing = "AS_TEXT";
    p.features.push_back(f);
  }
  return p;
}

std::string gzip(const std::string &text) {
  std::string out(compressBound(text.size()) + 64, 0);
  z_stream s{};
  deflateInit2(&s, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  s.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  s.avail_in = text.size();
  s.next_out = reinterpret_cast<Bytef *>(out.data());
  s.avail_out = out.size();
  deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

std::string zstd(const std::string &text) {
  std::string out(ZSTD_compressBound(text.size()), 0);
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

const char *const plain = " a:[0][1] b:[1][0]";

} // namespace

TEST(Format, LineEnds) {
  for (const char *text : {"x,y z\ny z,x\n", "x,y z\ny z,x", "x,y z\r\ny z,x\r\n", "x,y z\r\ny z,x\r",
                           "\xef\xbb\xbfx,y z\ny z,x\n", "\n\nx,y z\n\n\r\ny z,x\n\n", "\xef\xbb\xbf\nx,y z\ny z,x\n"})
    EXPECT_EQ(readText(words(), text).shown, plain) << text;
}

TEST(Format, EmptyFields) {
  EXPECT_EQ(readText(words(), ",\nx,\n,x\n").shown, " a:[4][0][4] b:[4][4][0]");
  EXPECT_EQ(readText(words({"a"}), "x\n\nx\n").shown, " a:[0][0]"); // a blank line is no row
}

TEST(Format, Delimiter) {
  Program p = words();
  p.data.delimiter = "\t";
  EXPECT_EQ(readText(p, "x\ty z\ny z\tx\n").shown, plain);
  p.data.delimiter = "|";
  EXPECT_EQ(readText(p, "a,b|x\n").shown, " a:[3] b:[0]");
  p.data.delimiter = "\xff"; // bytes with the high bit, and matches next to each other
  EXPECT_EQ(readText(p, "\xff\n\xff"
                        "x\n")
                .shown,
            " a:[4][4] b:[4][0]");
  p.data.delimiter = std::string(1, '\0');
  EXPECT_EQ(readText(p, std::string("x\0y z\ny z\0x\n", 12)).shown, plain);
}

// All lengths, so that delimiters stand at every place of the eight bytes looked at together.
TEST(Format, ManyWidths) {
  for (int length = 0; length < 20; ++length) {
    Program p = program({"a", "b", "c"}, {category("a", "hash", 1000003), category("b", "hash", 1000003),
                                          category("c", "hash", 1000003)});
    for (auto &f : p.features)
      f.missing = "AS_TEXT";
    std::string one(length, 'k'), text = one + ",-" + one + "," + one;
    Program single = program({"a"}, {p.features[0]});
    single.features[0].missing = "AS_TEXT";
    std::string k = readText(single, "\"" + one).shown; // checks nothing by itself: another text, another id
    std::string got = readText(p, text + "\n").shown;
    std::string id = got.substr(3, got.find(']') - 2);
    EXPECT_NE(got.find("c:" + id), std::string::npos) << length << got;
    EXPECT_EQ(got.find("b:" + id), std::string::npos) << length << got;
    EXPECT_NE(k.substr(3), id);
  }
}

TEST(Format, Trim) {
  Program p = words();
  EXPECT_NE(readText(p, "x , y z\n").shown, " a:[0] b:[1]");
  p.data.trim = true;
  EXPECT_EQ(readText(p, " x\t,  y z \n\ty z,x \r\n").shown, plain);
  EXPECT_EQ(readText(p, "x,y z\n  \t \ny z,x\n").shown, plain); // a line of blanks is blank
  p.data.delimiter = "\t";
  EXPECT_EQ(readText(p, "x\t y z\n\t\n").shown, " a:[0][4] b:[1][4]"); // but a delimiter is no blank
}

TEST(Format, Quotes) {
  Program p = words();
  p.data.quote = "\"";
  EXPECT_EQ(readText(p, "\"x\",\"y z\"\ny z,x\n").shown, plain);
  EXPECT_EQ(readText(p, "\"a,b\",\"q\"\"q\"\n").shown, " a:[3] b:[2]");
  EXPECT_EQ(readText(p, "\"\",x\n").shown, " a:[4] b:[0]");
  EXPECT_EQ(readText(p, "x,\"\"\n").shown, " a:[0] b:[4]");
  EXPECT_EQ(readText(p, "q\"q,x\n").shown, " a:[2] b:[0]"); // not at the start: text
  EXPECT_EQ(readText(p, "\"x\",\n").shown, " a:[0] b:[4]");
  EXPECT_EQ(readText(p, "\"x\n").shown, "f:1:1: the quote is not closed; quoted fields do not span lines (sample 0)");
  EXPECT_EQ(readText(p, "x,\"a\"\"\n").shown,
            "f:1:3: the quote is not closed; quoted fields do not span lines (sample 0)");
  EXPECT_EQ(readText(p, "\"x\"x,x\n").shown, "f:1:4: text follows the closing quote (sample 0)");
  EXPECT_EQ(readText(p, "\"x\" ,x\n").shown, "f:1:4: text follows the closing quote (sample 0)");
  p.data.trim = true;
  EXPECT_EQ(readText(p, " \"x\" , \"y z\"\ny z,x\n").shown, plain);
  p.data.quote = "'";
  EXPECT_EQ(readText(p, "'x','y z'\ny z,x\n").shown, plain);
  p.data.quote = "";
  EXPECT_EQ(readText(p, "q\"q,x\n").shown, " a:[2] b:[0]");
}

TEST(Format, Comments) {
  Program p = words();
  p.data.comment = "##";
  Read r = readText(p, "## first\nx,y z\n##\n#x\n");
  EXPECT_EQ(r.shown, "f:4:3: expected 2 columns, but got 1 (sample 1)");
  r = readText(p, "## first\nx,y z\n##\n\ny z,x\n##last");
  EXPECT_EQ(r.shown, plain);
  EXPECT_EQ(r.counters.commentLines, 3);
}

TEST(Format, MissingTexts) {
  Program p = program({"a", "n"}, {category("a", "identity", 10), number("n")});
  p.features[0].missing = "EMPTY_BAG";
  p.features[1].fill = 7;
  p.data.missing = {"?", "NA"};
  Read r = readText(p, "?,?\nNA,1\n3,NA\n,\n");
  EXPECT_EQ(r.shown, "|0x1.cp+2|0x1p+0|0x1.cp+2|0x1.cp+2 a:[][][3][]");
  EXPECT_EQ(r.counters.features[0].missing, 3);
  EXPECT_EQ(r.counters.features[1].missing, 3);
  EXPECT_EQ(readText(p, " ?,1\n").shown, "f:1:1: feature `a`: expected an integer, but got ` ?` (sample 0)");
}

TEST(Format, Header) {
  Program p = words();
  p.data.header = true;
  p.data.column = {};
  EXPECT_EQ(readText(p, "a,b\nx,y z\ny z,x\n").shown, plain);
  EXPECT_EQ(readText(p, "\xef\xbb\xbf"
                        "b,extra,a\r\ny z,,x\r\nx,?,y z\r\n")
                .shown,
            plain); // permuted: the same
  EXPECT_EQ(readText(p, "a,c\nx,x\n").shown, "feature `b`: no column `b` in the header of f");
  EXPECT_EQ(readText(p, "a,b,a\nx,x,x\n").shown, "feature `a`: column `a` is twice in the header of f");
  EXPECT_EQ(readText(p, "a,b\n").shown, "f: no rows follow the header");
  EXPECT_EQ(readText(p, "a,b").shown, "f: no rows follow the header");
  EXPECT_EQ(readText(p, "\n\n").shown, "f: the file has no header");
  p.data.comment = "#";
  Read r = readText(p, "# one\n\na,b\n#two\nx,y z\ny z,x\n");
  EXPECT_EQ(r.shown, plain);
  EXPECT_EQ(r.counters.commentLines, 2);
  EXPECT_EQ(readText(p, "# one\n\na,b\n#two\nx,y z\nnone,x\n").shown,
            "f:6:1: feature `a`: the vocabulary of 6 words has no `none` (sample 1)");
}

TEST(Format, HeadersOfSeveralFiles) {
  Files files;
  Program p = words();
  p.data.header = true;
  p.data.column = {};
  std::string one = files.write("1", "a,b\nx,y z\n"), two = files.write("2", "a,b\ny z,x\n");
  EXPECT_EQ(readAll(p, {one, two}).shown, plain);
  std::string other = files.write("3", "a,c\ny z,x\n"), more = files.write("4", "a,b,c\ny z,x,x\n");
  EXPECT_EQ(readAll(p, {one, other}).shown,
            other + ":1:3: the header differs from " + one + ": column 2 should be `b`, but is `c`");
  EXPECT_EQ(readAll(p, {one, more}).shown,
            more + ":1:5: the header differs from " + one + ": column 3 should be absent, but is `c`");
  p.data.column = {"a", "_"};
  p.features.pop_back();
  EXPECT_EQ(readAll(p, {one, two}).shown, " a:[0][1]");
  p.data.column = {"b", "a"};
  EXPECT_EQ(readAll(p, {one}).shown,
            one + ":1:1: the header differs from `data.column`: column 1 should be `b`, but is `a`");
}

TEST(Format, SkippedColumns) {
  Program p = words();
  p.data.column = {"_", "a", "_", "b"};
  EXPECT_EQ(readText(p, "1,x,\"2,y z\n,y z,,x\n").shown, plain);
}

TEST(Format, LabelsMayBeAbsentInPredict) {
  Program p = program({"y", "n"}, {number("n")});
  EXPECT_EQ(readText(p, "1,5\n", false).shown, "|0x1.4p+2");
  EXPECT_EQ(readText(p, "nonsense,5\n", false).shown, "|0x1.4p+2");
  EXPECT_EQ(readText(p, "5\n6\n", false).shown, "|0x1.4p+2|0x1.8p+2");
  EXPECT_EQ(readText(p, "5\n1,6\n", false).shown, "f:2:3: expected 1 columns, but got 2 (sample 1)");
  EXPECT_EQ(readText(p, "5\n").shown, "f:1:2: expected 2 columns, but got 1 (sample 0)");
  p.data.header = true;
  p.data.column = {};
  EXPECT_EQ(readText(p, "n\n5\n", false).shown, "|0x1.4p+2");
  EXPECT_EQ(readText(p, "n\n5\n").shown, "label `y`: no column `y` in the header of f");
}

TEST(Format, Compressed) {
  Files files;
  std::string text, half = "x,y z\n", rest = "y z,x\n";
  for (const std::string &path :
       {files.write("g", gzip(half + rest)), files.write("z", zstd(half + rest)),
        files.write("gg", gzip(half) + gzip(rest)), files.write("zz", zstd(half) + zstd(rest)),
        files.write("b", gzip("\xef\xbb\xbf" + half + rest))})
    EXPECT_EQ(readAll(words(), {path}).shown, plain) << path;
  for (int i = 0; i < 300000; ++i)
    text += "x,y z\n"; // more than one piece of memory
  for (const std::string &packed : {gzip(text), zstd(text)})
    EXPECT_EQ(readAll(words(), {files.write("big", packed)}).counters.samples, 300000);
}

TEST(Format, DamagedCompression) {
  Files files;
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(i * 7919 % 1000) + ",x\n";
  for (std::string packed : {gzip(text), zstd(text)}) {
    for (size_t n : {size_t(5), packed.size() / 2, packed.size() - 1}) {
      std::string error = readAll(words(), {files.write("cut", packed.substr(0, n))}).shown;
      EXPECT_NE(error.find("it ends too early"), std::string::npos) << n << error;
    }
    std::string flipped = packed;
    flipped[packed.size() / 2] ^= 0x55;
    flipped[packed.size() / 2 + 1] ^= 0x55;
    std::string error = readAll(words(), {files.write("flipped", flipped)}).shown;
    EXPECT_EQ(error.find(files.path("flipped")), 0u) << error;
    error = readAll(words(), {files.write("tail", packed + "garbage")}).shown;
    EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  }
  EXPECT_NE(readAll(words(), {files.write("xz", std::string("\xfd"
                                                            "7zXZ\0abc",
                                                            9))})
                .shown.find("decompress it first"),
            std::string::npos);
  EXPECT_EQ(readAll(words(), {files.write("none", gzip(""))}).shown, files.path("none") + ": the file is empty");
}
