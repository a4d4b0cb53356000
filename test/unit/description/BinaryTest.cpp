#include "test/unit/description/Helpers.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace sparsec::description::test {
namespace {

Model parsed(const std::string &text) {
  Model model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return model;
}

std::string binaryErrors(const Model &model) { return modelErrors({{"m.binpb", model.SerializeAsString()}}); }

TEST(Binary, MeansTheSameAsText) {
  for (const char *name : {"criteo_dlrm", "adult_wide_deep", "din", "dlrm_trace", "mlperf_dlrm_dcnv2", "mmoe"}) {
    Scratch scratch;
    scratch.write("m.binpb", parsed(readAll(inputs() + "examples/" + name + ".textproto")).SerializeAsString());
    Diagnostics diagnostics;
    std::vector<std::string> paths = {"m.binpb"};
    auto loaded = loadModel(paths, diagnostics);
    ASSERT_TRUE(loaded) << diagnostics.str();
    EXPECT_EQ(loaded->model.DebugString(), example(name).model.DebugString());
  }
}

TEST(Binary, PlacesArePaths) {
  Model model = parsed(tiny);
  model.mutable_feature(1)->set_ids(0, 0);
  EXPECT_EQ(binaryErrors(model), "m.binpb: feature[1].ids[0]: error: `ids` must lie in [1, 2^40], but got 0\n");
}

TEST(Binary, UnknownFieldsAndEnumValuesAreRefused) {
  Model model = parsed(tiny);
  model.GetReflection()->MutableUnknownFields(&model)->AddVarint(99, 1);
  Lookup *lookup = model.mutable_lookup(0);
  lookup->GetReflection()->MutableUnknownFields(lookup)->AddVarint(Lookup::kPoolingFieldNumber, 9);
  EXPECT_EQ(binaryErrors(model), "m.binpb: error: unknown field number 99\n"
                                 "m.binpb: note: a newer version of sparsec may know it\n"
                                 "m.binpb: lookup[0].pooling: error: unknown value `9` for `pooling`\n"
                                 "m.binpb: lookup[0].pooling: note: expected NONE, SUM, MEAN or MAX\n");
}

TEST(Binary, TextThatIsNotUtf8) {
  Model model = parsed(tiny);
  model.mutable_feature(0)->set_group("\xff");
  EXPECT_EQ(binaryErrors(model), "m.binpb: feature[0].group: error: this text is not UTF-8\n");
}

TEST(Binary, Garbage) {
  EXPECT_EQ(modelErrors({{"m.binpb", "\x0a\xff\xff\xff"}}),
            "m.binpb: error: this is not a binary description: its bytes are no Protobuf message\n"
            "m.binpb: note: a file in text format needs a name that ends in neither `.binpb` nor `.pb`\n");
}

TEST(Binary, TornAnywhereNeverCrashes) {
  std::string bytes = parsed(readAll(inputs() + "examples/dlrm_trace.textproto")).SerializeAsString();
  for (size_t i = 0; i < bytes.size(); i += 7)
    EXPECT_NE(modelErrors({{"m.binpb", bytes.substr(0, i)}}), "") << i;
}

} // namespace
} // namespace sparsec::description::test
