#include "passes/Import/Description/Readers.h"
#include "test/unit/description/Helpers.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

namespace sparsec::description::test {
namespace {

Node readPlaces(const std::string &text, Model &model) {
  auto file = std::make_shared<SourceFile>(SourceFile{"f", text, 0});
  Node places;
  Diagnostics diagnostics;
  readText(file, model, places, diagnostics);
  EXPECT_EQ(diagnostics.str(), "");
  return places;
}

Node readPlaces(const std::string &text) {
  Model model;
  return readPlaces(text, model);
}

TEST(Places, NamesAndValues) {
  Node places = readPlaces("name: \"m\"\n  feature { ids: [1,\n 20, 3] ids:4 }");
  EXPECT_EQ(places.name("name").str(), "f:1:1");
  EXPECT_EQ(places.value("name").str(), "f:1:7");
  const Node &feature = places.child("feature");
  EXPECT_EQ(feature.place.str(), "f:2:11");
  EXPECT_EQ(feature.end.str(), "f:3:15");
  ASSERT_EQ(feature.elements("ids").size(), 4u);
  EXPECT_EQ(feature.name("ids", 2).str(), "f:2:13");
  EXPECT_EQ(feature.value("ids", 1).str(), "f:3:2");
  EXPECT_EQ(feature.value("ids", 2).str(), "f:3:6");
  EXPECT_EQ(feature.name("ids", 3).str(), "f:3:9");
  EXPECT_EQ(feature.value("ids", 3).str(), "f:3:13");
  EXPECT_EQ(feature.value("max_length").str(), "f:2:11"); // not written: the block
}

TEST(Places, TabsAreOneColumnAndLinesEndAnyWay) {
  Node places = readPlaces("\t\tname:\t\"m\"\r\n# \xe2\x82\xac { comment\r\n\tlabel {\tname: \"y\" }");
  EXPECT_EQ(places.name("name").str(), "f:1:3");
  EXPECT_EQ(places.value("name").str(), "f:1:9");
  EXPECT_EQ(places.child("label").value("name").str(), "f:3:16");
}

TEST(Places, AByteOrderMarkIsNoColumn) { EXPECT_EQ(readPlaces("\xEF\xBB\xBFname: \"m\"").name("name").str(), "f:1:1"); }

TEST(Places, InsideTexts) {
  Node places = readPlaces("name: \"a\\x41\\n{\" # comment\n  'b{'");
  Place value = places.value("name"); // a A \n { b {
  EXPECT_EQ(value.str(), "f:1:7");
  EXPECT_EQ(value.insideText(0).str(), "f:1:8");
  EXPECT_EQ(value.insideText(1).str(), "f:1:9");
  EXPECT_EQ(value.insideText(2).str(), "f:1:13");
  EXPECT_EQ(value.insideText(3).str(), "f:1:15");
  EXPECT_EQ(value.insideText(4).str(), "f:2:4");
  EXPECT_EQ(value.insideText(5).str(), "f:2:5");
}

// Every set field of a message has as many places as values, all inside the file, in nested blocks too.
void expectMirror(const google::protobuf::Message &message, const Node &places) {
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  const auto *r = message.GetReflection();
  r->ListFields(message, &fields);
  for (const auto *field : fields) {
    size_t size = field->is_repeated() ? r->FieldSize(message, field) : 1;
    if (places.has(field->name()))
      ASSERT_EQ(places.elements(field->name()).size(), size) << field->full_name();
    else
      continue; // a default
    for (size_t i = 0; i < size; ++i) {
      EXPECT_GT(places.value(field->name(), i).line, 0) << field->full_name();
      EXPECT_GT(places.name(field->name(), i).column, 0) << field->full_name();
      if (field->message_type())
        expectMirror(field->is_repeated() ? r->GetRepeatedMessage(message, field, i) : r->GetMessage(message, field),
                     places.child(field->name(), i));
    }
  }
}

TEST(Places, MirrorTheMessageBeforeAndAfterExpansion) {
  for (const char *name : {"criteo_dlrm", "adult_wide_deep", "din", "dlrm_trace", "mlperf_dlrm_dcnv2", "mmoe"}) {
    Model model;
    Node places = readPlaces(readAll(inputs() + "examples/" + name + ".textproto"), model);
    expectMirror(model, places);
    Loaded loaded = example(name);
    expectMirror(loaded.model, *loaded.places);
  }
}

TEST(Places, OfExpandedBlocks) {
  Loaded mlperf = example("mlperf_dlrm_dcnv2");
  EXPECT_EQ(mlperf.features[13 + 13].place.line, 13);
  EXPECT_EQ(mlperf.places->child("feature", 13 + 13).value("ids").line, 15);
  EXPECT_EQ(mlperf.places->child("feature", 13 + 13).value("ids").column, 9);
  EXPECT_EQ(mlperf.places->child("feature", 13 + 13).child("hint").value("bag_length").line, 16);
  EXPECT_EQ(mlperf.places->child("table", 3).child("optimizer").place.line, 32); // training.table_optimizer
}

} // namespace
} // namespace sparsec::description::test
