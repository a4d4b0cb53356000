#include "test/unit/description/Helpers.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace sparsec::description::test {

std::string inputs() { return std::string(SPARSEC_SOURCE_DIR) + "/test/Inputs/language/"; }

std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Scratch::Scratch() : before(std::filesystem::current_path()) {
  std::string pattern = std::filesystem::temp_directory_path() / "sparsec-description-XXXXXX";
  folder = mkdtemp(pattern.data());
  std::filesystem::current_path(folder);
}

Scratch::~Scratch() {
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

void Scratch::write(const std::string &name, const std::string &text) const {
  std::ofstream(name, std::ios::binary) << text;
}

std::string modelErrors(const std::vector<std::pair<std::string, std::string>> &files) {
  Scratch scratch;
  std::vector<std::string> paths;
  for (const auto &[name, text] : files) {
    scratch.write(name, text);
    paths.push_back(name);
  }
  Diagnostics diagnostics;
  bool sound = loadModel(paths, diagnostics).has_value();
  EXPECT_EQ(sound, !diagnostics.hasErrors());
  return diagnostics.str();
}

Loaded example(const std::string &name) {
  Diagnostics diagnostics;
  std::vector<std::string> paths = {inputs() + "examples/" + name + ".textproto"};
  auto loaded = loadModel(paths, diagnostics);
  if (!loaded)
    throw std::runtime_error(diagnostics.str());
  return std::move(*loaded);
}

std::string edited(const std::string &example, const std::string &from, const std::string &to) {
  std::string text = readAll(inputs() + "examples/" + example + ".textproto");
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const char *const tiny = R"(language: 1
name: "tiny"
label { name: "y" }
feature { name: "x" number {} }
feature { name: "c" ids: 10 identity {} }
table { name: "c" dim: 4 }
lookup { name: "e" feature: "c" table: "c" }
layer { name: "p" input: ["x", "e"] linear { units: 1 } }
task { name: "t" input: "p" label: "y" bce {} }
training { batch_size: 8 dense_optimizer { sgd { lr: 0.1 } } table_optimizer { sgd { lr: 0.1 } } }
)";

} // namespace sparsec::description::test
