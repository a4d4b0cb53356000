#include "passes/Import/Description/Pattern.h"
#include "passes/Import/Description/Readers.h"
#include "test/unit/description/Helpers.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace sparsec::description::test {
namespace {

const char *const examples[] = {"criteo_dlrm", "adult_wide_deep", "din", "dlrm_trace", "mlperf_dlrm_dcnv2", "mmoe"};

Loaded loadText(const std::string &text) {
  Scratch scratch;
  scratch.write("m.textproto", text);
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"m.textproto"};
  auto loaded = loadModel(paths, diagnostics);
  if (!loaded)
    throw std::runtime_error(diagnostics.str());
  return std::move(*loaded);
}

TEST(Expand, EmittedTextLoadsAsTheSameModel) {
  for (const char *name : examples) {
    Loaded loaded = example(name);
    Loaded again = loadText(emitModel(loaded));
    EXPECT_EQ(loaded.model.SerializeAsString(), again.model.SerializeAsString()) << name;
    EXPECT_EQ(emitModel(loaded), emitModel(again)) << name;
    EXPECT_EQ(fingerprint(loaded), fingerprint(again)) << name;
  }
}

TEST(Expand, BlocksHaveOneNameAndAllDefaults) {
  Loaded criteo = example("criteo_dlrm");
  ASSERT_EQ(criteo.model.feature_size(), 39);
  ASSERT_EQ(criteo.model.table_size(), 26);
  const Table &table = criteo.model.table(25);
  EXPECT_EQ(table.name(0), "C26");
  EXPECT_EQ(table.rows(0), 1000000);
  EXPECT_DOUBLE_EQ(table.init().uniform(), 0.001);
  EXPECT_EQ(table.optimizer().row_wise_adagrad().moment_scale(), 1);
  EXPECT_EQ(criteo.model.feature(38).column(0), "C26");
  EXPECT_EQ(criteo.model.feature(38).hint().zipf(0), 1.05);
  EXPECT_FALSE(criteo.model.feature(38).has_out_of_range()); // a hash is never out of range
  EXPECT_EQ(criteo.model.layer(1).input_size(), 27);
  EXPECT_EQ(criteo.model.layer(1).input(26), "emb/C26");
  EXPECT_EQ(criteo.model.training().eval_batch_size(), 2048);
}

TEST(Expand, PerNameValuesReachNestedBlocks) {
  Loaded adult = example("adult_wide_deep");
  EXPECT_EQ(adult.model.feature(1).name(0), "education-num");
  EXPECT_EQ(adult.model.feature(1).number().step(0).standardise().mean(0), 10.08);
  Loaded mlperf = example("mlperf_dlrm_dcnv2");
  EXPECT_EQ(mlperf.model.feature(13 + 20).hint().bag_length(0), 100);
  EXPECT_EQ(mlperf.model.feature(13 + 20).hint().zipf(0), 0);
}

TEST(Expand, ShapesAreInferred) {
  Loaded criteo = example("criteo_dlrm");
  EXPECT_EQ(criteo.layers[0].inputWidth, 13);
  EXPECT_EQ(criteo.layers[1].shape.width, 27 * 26 / 2);
  EXPECT_EQ(criteo.layers[2].inputWidth, 16 + 351);
  EXPECT_EQ(criteo.layers[3].shape.width, 1);
  EXPECT_EQ(criteo.tasks[0].input, (TensorRef{TensorRef::Layer, 3}));
  EXPECT_EQ(criteo.groups.at("category").size(), 26u);
  Loaded mlperf = example("mlperf_dlrm_dcnv2");
  EXPECT_EQ(mlperf.layers[1].shape.width, 3456);
  EXPECT_TRUE(mlperf.features[20].bag);
  Loaded din = example("din");
  EXPECT_EQ(din.layers[1].shape.width, 36);
  EXPECT_TRUE(din.layers[1].shape.sequence);
  EXPECT_EQ(din.layers[1].shape.lengths, 3); // hist_item
  EXPECT_EQ(din.layers[3].inputWidth, 18 + 36 + 36);
  EXPECT_EQ(din.tables[1].lookups, (std::vector<int>{1, 3})); // i and hi
  EXPECT_EQ(din.features[3].maxLength, 100);
}

TEST(Expand, LayersAreOrderedByWhatTheyRead) {
  std::string text = edited(
      "criteo_dlrm", "layer { name: \"logit\"  input: \"top\"                          linear { units: 1 } }", "");
  size_t at = text.find("layer { name: \"bottom\"");
  text.insert(at, "layer { name: \"logit\" input: \"top\" linear { units: 1 } }\n");
  EXPECT_EQ(loadText(text).layerOrder, (std::vector<int>{1, 2, 3, 0}));
}

TEST(Expand, VocabularyKnowsItsIds) {
  Loaded adult = example("adult_wide_deep");
  EXPECT_EQ(adult.features[5].ids, 9);
  EXPECT_EQ(adult.features[5].words[1], "Private");
  EXPECT_EQ(adult.model.table(0).rows(0), 9);
}

TEST(Expand, VocabularyFile) {
  Scratch scratch;
  scratch.write("words.txt", "red\r\ngreen\nblue");
  std::string text = tiny;
  text.replace(text.find("ids: 10 identity {}"), 19, "vocabulary { file: \"words.txt\" oov_ids: 2 }");
  scratch.write("m.textproto", text);
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"m.textproto"};
  auto loaded = loadModel(paths, diagnostics);
  ASSERT_TRUE(loaded) << diagnostics.str();
  EXPECT_EQ(loaded->features[1].words, (std::vector<std::string>{"red", "green", "blue"}));
  EXPECT_EQ(loaded->features[1].ids, 5);
}

TEST(Expand, SeveralFilesAreOne) {
  std::string text = tiny;
  size_t cut = text.find("table {");
  Scratch scratch;
  scratch.write("a.textproto", text.substr(0, cut));
  scratch.write("b.textproto", text.substr(cut));
  Diagnostics diagnostics;
  std::vector<std::string> paths = {"a.textproto", "b.textproto"};
  auto loaded = loadModel(paths, diagnostics);
  ASSERT_TRUE(loaded) << diagnostics.str();
  EXPECT_EQ(loaded->model.DebugString(), loadText(tiny).model.DebugString());
  EXPECT_EQ(loaded->features[1].place.str(), "a.textproto:5:17");
  EXPECT_EQ(loaded->tables[0].place.str(), "b.textproto:1:15");
}

TEST(Expand, AFieldSetByTwoFilesIsRefused) {
  EXPECT_EQ(modelErrors({{"a.textproto", tiny}, {"b.textproto", "\n  name: \"other\""}}),
            "b.textproto:2:3: error: `name` is set by two files\n"
            "a.textproto:2:1: note: the first is here\n");
}

TEST(Expand, ErrorsAreSortedByFileThenPlace) {
  EXPECT_EQ(modelErrors({{"b.textproto", "nme: 1\nlabl: 2"}, {"a.textproto", "langage: 1"}}),
            "b.textproto:1:1: error: unknown field `nme`\n"
            "b.textproto:1:1: note: did you mean `name`?\n"
            "b.textproto:2:1: error: unknown field `labl`\n"
            "b.textproto:2:1: note: did you mean `label`?\n"
            "a.textproto:1:1: error: unknown field `langage`\n"
            "a.textproto:1:1: note: did you mean `language`?\n");
}

TEST(Expand, FingerprintIsOfWhatMustAgreeForWeightsToFit) {
  std::string before = fingerprint(example("criteo_dlrm"));
  EXPECT_EQ(before.size(), 16u);
  auto after = [](const char *from, const char *to) { return fingerprint(loadText(edited("criteo_dlrm", from, to))); };
  EXPECT_EQ(before, after("lr: 0.1", "lr: 0.2"));
  EXPECT_EQ(before, after("lr: 0.05", "lr: 0.01"));
  EXPECT_EQ(before, after("\"C{1..26}\"]", "\"C{1..26}\", \"more\"]"));
  EXPECT_EQ(before, after("hash {}", "hash {} hint { zipf: 2 }"));
  EXPECT_NE(before, after("256, 64, 16]", "256, 65, 16]"));
  EXPECT_NE(before, after("ids: 1000000", "ids: 1000001"));
}

std::vector<std::string> expand(const std::string &text) {
  Diagnostics diagnostics;
  std::vector<std::string> group = {"a", "b"};
  auto names = expandPattern(
      text, {}, [&](std::string_view name) { return name == "g" ? &group : nullptr; }, {"g"}, diagnostics);
  return names ? *names : std::vector<std::string>{diagnostics.sorted().front()->text};
}

TEST(Expand, Patterns) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand("C"), Names{"C"});
  EXPECT_EQ(expand("C{1..3}x"), (Names{"C1x", "C2x", "C3x"}));
  EXPECT_EQ(expand("C{08..10}"), (Names{"C08", "C09", "C10"}));
  EXPECT_EQ(expand("C{7..7}"), Names{"C7"});
  EXPECT_EQ(expand("e/{g}"), (Names{"e/a", "e/b"}));
  EXPECT_EQ(expand("{{g}}"), Names{"{g}"});
  EXPECT_EQ(expand("{{{g}"), (Names{"{a", "{b"}));
  EXPECT_EQ(expand("{1..2}{1..2}"), Names{"a second pair of braces"});
  EXPECT_EQ(expand("{1..2"), Names{"`{` without `}`"});
  EXPECT_EQ(expand("1..2}"), Names{"`}` without `{`"});
  EXPECT_EQ(expand("{1..}"), Names{"expected a range such as `{1..26}`, but got `{1..}`"});
  EXPECT_EQ(expand("{001..10}"), Names{"`{001..10}` pads to two different widths"});
  EXPECT_EQ(expand("{1..99999999}"),
            Names{"`{1..99999999}` makes 99999999 names, but a description has at most 1048576"});
  EXPECT_EQ(expand("{1..99999999999999999999999}"),
            Names{"expected a range such as `{1..26}`, but got `{1..99999999999999999999999}`"});
  EXPECT_EQ(escapeBraces("{g}"), "{{g}}");
}

// The reader against protobuf's own, which knows no places but the same format.
TEST(Expand, ReadsWhatProtobufReads) {
  std::vector<std::string> texts;
  for (const char *name : examples)
    texts.push_back(readAll(inputs() + "examples/" + name + ".textproto"));
  texts.push_back(
      "name: 'a' \"b\\x41\\102\\u00e9\\n\", language: 0x1; layer < name: 'x' slice: { begin: 017 end: 1 } >"
      "label { name: [] } label { name: ['a', \"b\"'c'] } training { seed: 18446744073709551615 clip { value: 1.5f } }"
      "data { header: t trim: False } task { weight: -inf } task { weight: .5e-3 } # end");
  for (const std::string &text : texts) {
    Model theirs, ours;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &theirs));
    auto file = std::make_shared<SourceFile>(SourceFile{"m.textproto", text, 0});
    Node places;
    Diagnostics diagnostics;
    readText(file, ours, places, diagnostics);
    EXPECT_EQ(diagnostics.str(), "");
    EXPECT_EQ(ours.DebugString(), theirs.DebugString());
  }
}

} // namespace
} // namespace sparsec::description::test
