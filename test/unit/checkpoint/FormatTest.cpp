// Files and manifest, byte by byte.
#include "SavedModel.h"
#include "checkpoint/BlockHash.h"
#include "checkpoint/Manifest.h"
#include "checkpoint/Safetensors.h"

using namespace sparsec;
using namespace sparsec::checkpoint;
using namespace sparsec::test;

namespace {

TEST(Layout, CutsAtTensors) {
  Layout layout = layOut({{"a", {10, 4}}, {"b", {1, 4}}, {"c", {2}}, {"empty", {0, 4}}, {"d", {100}}}, 170);
  ASSERT_EQ(layout.files.size(), 2u);
  EXPECT_EQ(layout.files[0].name, "tensors-00000.safetensors");
  std::vector<int64_t> files;
  for (const TensorPlace &place : layout.places)
    files.push_back(place.file);
  EXPECT_EQ(files, (std::vector<int64_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(layout.places[4].offset, int64_t(layout.files[1].header.size()) + 8);
}

TEST(Layout, OneFileWhereAllFits) {
  Layout layout = layOut({{"a", {10, 4}}, {"b", {}}}, 1000);
  ASSERT_EQ(layout.files.size(), 1u);
  const FileLayout &file = layout.files[0];
  EXPECT_EQ(file.header.size() % 64, 0u);
  EXPECT_EQ(layout.places[0].offset, int64_t(file.header.size()));
  EXPECT_EQ(layout.places[1].offset, int64_t(file.header.size()) + 160);
  EXPECT_EQ(file.bytes, int64_t(file.header.size()) + 164);
  EXPECT_EQ(file.header.substr(8, 65), R"({"a":{"dtype":"F32","shape":[10,4],"data_offsets":[0,160]},"b":{")");
}

TEST(Checksum, IsXxh64) {
  EXPECT_EQ(hashBytes("", 0), 0xef46db3751d8e999u);
  EXPECT_EQ(hashBytes("abc", 3), 0x44bc2cf5ad770999u);
}

TEST(Manifest, GivesBackWhatWasWritten) {
  Manifest manifest{{"m", "f", 5, 1, 3, UINT64_MAX}, 8, {{"a.safetensors", 17, {1, 2, UINT64_MAX}}}};
  std::string text = writeManifest(manifest);
  auto read = readManifest(text, "m.json");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->state, manifest.state);
  EXPECT_EQ(read->files[0].blocks, manifest.files[0].blocks);
  EXPECT_EQ(writeManifest(*read), text);
}

TEST(Manifest, RefusesOtherVersions) {
  std::string text = writeManifest({});
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  EXPECT_EQ(readManifest(text, "m.json").status().message(), "m.json: expected version 1 of the checkpoint format");
  EXPECT_EQ(readManifest("{}", "m.json").status().message(), "m.json: expected the manifest of a sparsec checkpoint");
}

} // namespace
