// Whatever stands in a file, the loader answers with errors: no crash, no throw, no endless run.
#include "test/unit/description/Helpers.h"
#include <gtest/gtest.h>
#include <random>

namespace sparsec::description::test {
namespace {

TEST(Hostile, EmptyFile) {
  EXPECT_EQ(modelErrors(""), "m.textproto:1:1: error: a description needs `language`\n"
                             "m.textproto:1:1: note: write `language: 1` first\n"
                             "m.textproto:1:1: error: a description needs `name`\n");
  EXPECT_NE(modelErrors({{"m.binpb", ""}}), "");
  EXPECT_EQ(modelErrors(std::vector<std::pair<std::string, std::string>>{}).substr(0, 17), "<unknown>: error:");
}

TEST(Hostile, NoFile) {
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"no/such.textproto", "/"};
  EXPECT_FALSE(loadModel(paths, diagnostics));
  EXPECT_EQ(diagnostics.str(), "no/such.textproto: error: no such file\n/: error: this is a folder\n");
  Diagnostics cluster;
  EXPECT_FALSE(loadCluster("dgx-h200", cluster));
  EXPECT_EQ(cluster.str(), "dgx-h200: error: no such file, and no built-in cluster of that name\n"
                           "dgx-h200: note: built in are dgx-h100, generic-80gb, laptop or pod-4096\n");
}

TEST(Hostile, Bytes) {
  using namespace std::string_literals;
  EXPECT_EQ(modelErrors("language: 1\n\x00\x01"s),
            "m.textproto:2:1: error: this is not text: byte 0x00\n"
            "m.textproto:2:1: note: the name of a binary description ends in `.binpb`\n");
  EXPECT_EQ(modelErrors("name: \xff\xfe"),
            "m.textproto:1:7: error: unexpected byte 0xff\n"
            "m.textproto:1:7: note: such text stands in quotes\n"
            "m.textproto:1:9: error: expected a text in quotes, but the file ends here\n");
  EXPECT_EQ(modelErrors("name: \"a\xff\""), "m.textproto:1:7: error: this text is not UTF-8\n");
  EXPECT_EQ(modelErrors("name: \"\\xff\""), "m.textproto:1:7: error: this text is not UTF-8\n");
}

TEST(Hostile, Texts) {
  EXPECT_EQ(modelErrors("name: \"ab\\q\""), "m.textproto:1:10: error: unknown escape `\\q`\n");
  EXPECT_EQ(modelErrors("name: \"\\x\""), "m.textproto:1:8: error: `\\x` needs one or two hex digits\n");
  EXPECT_EQ(modelErrors("name: \"\\u12\""), "m.textproto:1:8: error: `\\u` needs 4 hex digits\n");
  EXPECT_EQ(modelErrors("name: \"\\ud800\""), "m.textproto:1:8: error: U+D800 is no character\n");
  EXPECT_EQ(modelErrors("name: \"abc\nlanguage: 1"),
            "m.textproto:1:7: error: this text has no closing `\"` in its line\n");
}

// One missing quote turns the line inside out: what follows is noise, what stands before is not.
TEST(Hostile, UnclosedTexts) {
  EXPECT_EQ(modelErrors("task { nme: 1 }\ndata { delimiter: \"| quote: \"x\" comment: \"%\" }\nlabel { nme: 1 }\n"),
            "m.textproto:1:8: error: unknown field `nme` in `task`\n"
            "m.textproto:1:8: note: did you mean `name`?\n"
            "m.textproto:2:44: error: this text has no closing `\"` in its line\n"
            "m.textproto:2:44: note: or a text before it in this line has none\n");
  EXPECT_EQ(modelErrors("data { quote: \"x delimiter: \"|\" }\nlabel { name: \"y\" }\n"),
            "m.textproto:1:31: error: this text has no closing `\"` in its line\n"
            "m.textproto:1:31: note: or a text before it in this line has none\n");
  EXPECT_EQ(modelErrors("name: \"a b\nfeature { name: \"x\" numbr {} }\n"),
            "m.textproto:1:7: error: this text has no closing `\"` in its line\n");
}

TEST(Hostile, AFileGivenTwice) {
  Scratch scratch;
  scratch.write("m.textproto", tiny);
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"m.textproto", "m.textproto", "./m.textproto"};
  EXPECT_FALSE(loadModel(paths, diagnostics));
  EXPECT_EQ(diagnostics.str(), "m.textproto: error: this file is given twice\n"
                               "./m.textproto: error: this file is given twice\n"
                               "./m.textproto: note: `m.textproto` is the same file\n");
}

// What the sizes of a description may be at most still goes through.
TEST(Hostile, LargestSizes) {
  std::string text = tiny;
  text.replace(text.find("dim: 4"), 6, "dim: 16384");
  text += "layer { name: \"c\" input: \"x\" cross { layers: 64 } }\n";
  std::string units = "1";
  for (int i = 1; i < 64; ++i)
    units += ", 1";
  text += "layer { name: \"m\" input: \"c\" mlp { units: [" + units + "] activation: RELU } }\n";
  text += "task { name: \"u\" input: \"m\" label: \"y\" mse {} }\n";
  EXPECT_EQ(modelErrors(text), "");
  text.replace(text.find("units: [1"), 9, "units: [1, 1");
  std::string errors = modelErrors(text);
  EXPECT_NE(errors.find(": error: `units` must name at most 64 layers, but got 65\n"), std::string::npos) << errors;
}

TEST(Hostile, Numbers) {
  EXPECT_EQ(
      modelErrors("language: 99999999999999999999999"),
      "m.textproto:1:11: error: expected an integer in [-2147483648, 2147483647], but got `99999999999999999999999`\n");
  EXPECT_EQ(modelErrors("training { seed: -1 }"),
            "m.textproto:1:18: error: expected an integer in [0, 18446744073709551615], but got `-1`\n");
  EXPECT_EQ(modelErrors("language: 12abc"), "m.textproto:1:11: error: expected an integer, but got `12abc`\n");
  EXPECT_EQ(modelErrors("language: 08"), "m.textproto:1:11: error: expected an integer, but got `08`\n");
  EXPECT_EQ(modelErrors("task { weight: 1.2.3 }"), "m.textproto:1:16: error: expected a number, but got `1.2.3`\n");
  EXPECT_EQ(modelErrors("task { weight: - }"), "m.textproto:1:16: error: expected a number, but got `-`\n");
  std::string text = tiny;
  EXPECT_EQ(modelErrors(text.replace(text.find("lr: 0.1"), 7, "lr: 1e999")),
            "m.textproto:10:54: error: `lr` must be a finite number, but got inf\n");
  // The reader's steps are double, what is computed with is not.
  text = tiny;
  text.replace(text.find("number {}"), 9, "number { step { max: 1e300 } fill: 3e38 }");
  EXPECT_EQ(modelErrors(text), "");
}

TEST(Hostile, Structure) {
  EXPECT_EQ(modelErrors("task {"), "m.textproto:1:7: error: expected `}`, but the file ends here\n"
                                   "m.textproto:1:1: note: `task` is not closed\n");
  EXPECT_EQ(modelErrors("}"), "m.textproto:1:1: error: `}` closes no block\n");
  EXPECT_EQ(modelErrors("task 5"), "m.textproto:1:6: error: expected `{` after `task`, but got `5`\n");
  EXPECT_EQ(modelErrors("language 1"), "m.textproto:1:10: error: expected `:` after `language`, but got `1`\n");
  EXPECT_EQ(modelErrors("data { column: [\"a\" \"b\", ] }"),
            "m.textproto:1:26: error: expected a text in quotes, but got `]`\n");
  EXPECT_EQ(modelErrors("data { header: [true] }"),
            "m.textproto:1:16: error: `header` takes one value, but got a list\n");
  EXPECT_EQ(modelErrors("language: 1 language: 1"), "m.textproto:1:13: error: `language` is given twice\n"
                                                    "m.textproto:1:1: note: the first is here\n");
}

TEST(Hostile, DeepNesting) {
  std::string open, close;
  for (int i = 0; i < 200'000; ++i)
    open += "a {", close += "}";
  EXPECT_NE(modelErrors(open), "");
  EXPECT_NE(modelErrors(open + close), "");
  EXPECT_NE(modelErrors(std::string(200'000, '[')), "");
  EXPECT_NE(modelErrors("layer " + std::string(200'000, '{')), "");
}

TEST(Hostile, PatternsThatExplode) {
  std::string head = "language: 1 name: \"m\" ";
  EXPECT_EQ(modelErrors(head + "label { name: \"y{1..9999999}\" }"),
            "m.textproto:1:39: error: `{1..9999999}` makes 9999999 names, but a description has at most 1048576\n");
  std::string words;
  for (int i = 0; i < 10'000; ++i)
    words += (i ? ", \"w" : "\"w") + std::to_string(i) + "\"";
  EXPECT_NE(modelErrors(head + "feature { name: \"f{1..1000000}\" vocabulary { word: [" + words + "] } }"), "");
}

TEST(Hostile, AChainOfLayersNeedsNoStack) {
  std::string text = tiny;
  text.replace(text.find("input: \"p\""), 10, "input: \"l50000\"");
  text += "layer { name: \"l0\" input: \"p\" slice { begin: 0 end: 1 } }\n";
  for (int i = 50'000; i > 0; --i)
    text += "layer { name: \"l" + std::to_string(i) + "\" input: \"l" + std::to_string(i - 1) + "\" sum {} }\n";
  EXPECT_EQ(modelErrors(text), "");
}

// Examples with bytes and tokens dropped, doubled and swapped.
TEST(Hostile, ScrambledExamples) {
  std::mt19937 random(1);
  const std::string pieces[] = {"{",      "}",          "[",  "]", ":", "\"", "0", "-",    "1e9",
                                "{1..3}", "{category}", "\\", "#", "<", ">",  ",", "name", "\xff"};
  for (const char *name : {"criteo_dlrm", "din", "adult_wide_deep"}) {
    std::string text = readAll(inputs() + "examples/" + name + ".textproto");
    for (int round = 0; round < 150; ++round) {
      std::string scrambled = text;
      for (int edit = 0; edit <= round % 4; ++edit) {
        size_t at = random() % scrambled.size(), length = random() % 12;
        scrambled.replace(at, length, random() % 3 ? pieces[random() % std::size(pieces)] : "");
      }
      Scratch scratch;
      scratch.write("m.textproto", scrambled);
      Diagnostics diagnostics;
      std::vector<std::string> paths = {"m.textproto"};
      auto loaded = loadModel(paths, diagnostics);
      EXPECT_EQ(loaded.has_value(), !diagnostics.hasErrors());
      if (loaded)
        checkSupported(*loaded, diagnostics);
      diagnostics.str();
    }
  }
}

} // namespace
} // namespace sparsec::description::test
