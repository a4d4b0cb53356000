// The embedded JSON: there and back, and what is refused.
#include "sparsec/Program.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace sparsec;

namespace {

/// Every field set to something that is not its default.
Program full() {
  Program p;
  p.model = "m";
  p.fingerprint = "f00d";
  p.target = "cpu";
  p.matmul = "tf32";
  p.compiler = "sparsec 0.1";
  p.mesh = {2, 3, 4};
  p.batchSize = 128;
  p.evalBatchSize = 256;
  p.epochs = 3;
  p.shuffleRows = 1000;
  p.warmupSteps = 10;
  p.seed = UINT64_MAX;
  p.data = {"\t", true, {"a", "_", "b"}, {"?", "NA"}, true, "\"", "#"};
  p.labels = {{"y", "click", {"yes"}, {"no"}}};
  FeatureColumn number;
  number.name = "x";
  number.column = "I1";
  number.kind = "number";
  number.fill = 0.0;
  number.steps = {{"min", -1, 0, 1}, {"standardise", 0, 2.5, 0.1}};
  number.width = 3;
  number.separator = "|";
  FeatureColumn words;
  words.name = "c";
  words.column = "C1";
  words.kind = "vocabulary";
  words.ids = 4;
  words.hashSeed = 7;
  words.words = {"plain", "caf\xc3\xa9", "latin\xe9", std::string("nul\0!", 5)};
  words.oovIds = 2;
  words.bounds = {-INFINITY, 0.1, INFINITY};
  words.weightSeparator = ":";
  words.maxLength = 5;
  words.keep = "LAST";
  words.sameLengthAs = "d";
  words.missing = "AS_TEXT";
  words.outOfRange = "ZERO";
  p.features = {number, words};
  p.inputs = {{{0}, 3}};
  TableInfo t;
  t.name = "c";
  t.rows = int64_t(1) << 40;
  t.dim = 16;
  t.strategy = "row_wise";
  t.init = {"values", 0.25, {0.1, 1e-300, 3}};
  t.optimizer = {"adagrad", {{"lr", 0.1}, {"eps", 1e-8}}, {{"table/c/adagrad.sum", true, 0.5}}};
  t.whole = true;
  t.parts = {{8, 8, true, 1, 2}};
  p.tables = {t};
  p.params = {{"layer/top/0/weight", {4, 5}, {"uniform", 0.5, {}}, {"sgd", {{"lr", 0.01}}, {}}}};
  p.tasks = {{"click", "bce", 0, 0.5}};
  p.plan = "groups: 2\n";
  return p;
}

std::string refused(const std::string &text) {
  Result<Program> p = readProgram(text);
  return p.ok() ? "accepted" : p.status().message();
}

} // namespace

TEST(Program, ReadsWhatItWrote) {
  Program p = full();
  Result<Program> back = readProgram(writeProgram(p));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(writeProgram(*back), writeProgram(p));
  EXPECT_EQ(back->seed, UINT64_MAX);
  EXPECT_EQ(back->features[0].fill, 0.0);
  EXPECT_FALSE(back->features[1].fill.has_value());
  EXPECT_EQ(back->features[0].steps[1].mean, 2.5);
  EXPECT_EQ(back->features[1].words, p.features[1].words);
  EXPECT_EQ(back->features[1].bounds, p.features[1].bounds);
  EXPECT_EQ(back->data.column, p.data.column);
  EXPECT_EQ(back->tables[0].rows, int64_t(1) << 40);
  EXPECT_EQ(back->tables[0].init.values, p.tables[0].init.values);
  EXPECT_EQ(back->tables[0].optimizer.hyperparameters, p.tables[0].optimizer.hyperparameters);
  EXPECT_TRUE(back->tables[0].optimizer.states[0].perRow);
  EXPECT_EQ(back->tables[0].parts[0].first, 1);
  EXPECT_EQ(back->params[0].shape, p.params[0].shape);
}

// A field that the JSON form forgets would be lost in silence: each leaf of
// full() must be there.
TEST(Program, WritesEveryField) {
  nlohmann::json j = nlohmann::json::parse(writeProgram(full()));
  EXPECT_EQ(j.size(), 20u);
  EXPECT_EQ(j["mesh"].size(), 3u);
  EXPECT_EQ(j["data"].size(), 7u);
  EXPECT_EQ(j["labels"][0].size(), 4u);
  EXPECT_EQ(j["features"][0].size() + j["features"][1].size(),
            18u + 3u); // name, column and kind are in both
  EXPECT_EQ(j["inputs"][0].size(), 2u);
  EXPECT_EQ(j["tables"][0].size(), 8u);
  EXPECT_EQ(j["tables"][0]["parts"][0].size(), 5u);
  EXPECT_EQ(j["tables"][0]["optimizer"].size(), 3u);
  EXPECT_EQ(j["tables"][0]["optimizer"]["states"][0].size(), 3u);
  EXPECT_EQ(j["params"][0].size(), 4u);
  EXPECT_EQ(j["tasks"][0].size(), 3u); // label 0 is its default
}

TEST(Program, DefaultsMayBeAbsent) {
  EXPECT_EQ(writeProgram(Program()), "{}");
  Result<Program> p = readProgram("{}");
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p->epochs, 1);
  EXPECT_EQ(p->seed, 1u);
  EXPECT_EQ(p->data.delimiter, ",");
  ASSERT_TRUE(readProgram(R"({"features": [{"kind": "number", "fill": null}]})").ok());
}

TEST(Program, NamesTheFieldAtFault) {
  EXPECT_EQ(refused(R"({"tables": [{}, {"rows": "many"}]})"),
            "program: `tables[1].rows`: expected an integer of 64 bits, but "
            "got `\"many\"`");
  EXPECT_EQ(refused(R"({"tables": [{"rows": 1.5}]})"), "program: `tables[0].rows`: expected an integer of 64 bits, but "
                                                       "got `1.5`");
  EXPECT_EQ(refused(R"({"tables": [{"rows": 9223372036854775808}]})"),
            "program: `tables[0].rows`: expected an integer of 64 bits, but "
            "got `9223372036854775808`");
  EXPECT_EQ(refused(R"({"seed": -1})"), "program: `seed`: expected an integer of 64 bits that is not "
                                        "negative, but got `-1`");
  EXPECT_EQ(refused(R"({"data": {"header": 1}})"), "program: `data.header`: expected true or false, but got `1`");
  EXPECT_EQ(refused(R"({"data": {"column": ["a", 2]}})"), "program: `data.column[1]`: expected a text, but got `2`");
  EXPECT_EQ(refused(R"({"data": []})"), "program: `data`: expected an object, but got `[]`");
  EXPECT_EQ(refused(R"({"data": {"column": "a"}})"), "program: `data.column`: expected a list, but got `\"a\"`");
  EXPECT_EQ(refused(R"({"params": [{"optimizer": {"hyperparameters": [["lr"]]}}]})"),
            "program: `params[0].optimizer.hyperparameters[0]`: expected a name and "
            "a number: [\"lr\", 0.1], but got "
            "`[\"lr\"]`");
  EXPECT_EQ(refused(R"({"features": [{"kind": "embed"}]})"),
            "program: `features[0].kind`: expected one of number, identity, "
            "modulo, hash, vocabulary, bucketize, but got "
            "`embed`");
  EXPECT_EQ(refused(R"({"features": [{"kind": "number", "steps": [{"kind": "log", "value": 1}]}]})"),
            "program: `features[0].steps[0].kind`: expected one of min, max, "
            "log_plus, scale, standardise, but got `log`");
  EXPECT_EQ(refused(R"({"tables": [{"parts": [{"dims": 3}]}]})"), "program: unknown field `tables[0].parts[0].dims`");
  EXPECT_EQ(refused(R"({"mesh": {"shards": 0}})"), "program: `mesh.shards`: expected at least 1, but got 0");
  EXPECT_EQ(refused(R"({"features": [{"words": [{"hex": "0"}]}]})"),
            "program: `features[0].words[0]`: expected pairs of hexadecimal "
            "digits, but got `{\"hex\":\"0\"}`");
}

TEST(Program, ChecksIndices) {
  EXPECT_EQ(refused(R"({"inputs": [{"features": [0]}]})"),
            "program: `inputs[0].features[0]`: expected an index in [0, 0), "
            "but got 0");
  EXPECT_EQ(refused(R"({"features": [{"name": "c", "kind": "hash"}], "inputs": [{"features": [0]}]})"),
            "program: `inputs[0].features[0]`: feature `c` is not a number");
  EXPECT_EQ(refused(R"({"features": [{"kind": "number", "width": 2}], "inputs": [{"features": [0], "width": 1}]})"),
            "program: `inputs[0].width`: expected 2, the widths of its features, but "
            "got 1");
  EXPECT_EQ(refused(R"({"tasks": [{"label": -1}]})"),
            "program: `tasks[0].label`: expected an index in [0, 0), but got -1");
}

TEST(Program, RefusesWhatIsNotJson) {
  EXPECT_EQ(refused(""), "program: not JSON at byte 1");
  EXPECT_EQ(refused(R"({"seed": 1)"), "program: not JSON at byte 11");
  EXPECT_EQ(refused("[]"), "program: expected an object, but got `[]`");
  EXPECT_NE(refused("{\"model\": \"\xff\"}"), "accepted");
  EXPECT_NE(refused(std::string(100000, '[')), "accepted");
  std::string whole = writeProgram(full());
  for (size_t n = 0; n < whole.size(); n += 7)
    EXPECT_NE(refused(whole.substr(0, n)), "accepted") << n;
}
