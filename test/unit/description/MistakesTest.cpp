// Every entry of test/Inputs/language/*mistakes.txt: one edit to an example, and all that must be printed.
#include "test/unit/description/Helpers.h"
#include <gtest/gtest.h>
#include <sstream>

namespace sparsec::description::test {
namespace {

struct Mistake {
  std::string from, to, example, expected;
};

// Entries are `# 'from' -> 'to'  (example)`, the expected lines, and a blank line.
std::vector<Mistake> readMistakes(const std::string &file) {
  std::vector<Mistake> all;
  std::istringstream in(readAll(inputs() + file));
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("# '")) {
      size_t arrow = line.find("' -> '"), end = line.rfind("'  (");
      all.push_back({line.substr(3, arrow - 3), line.substr(arrow + 6, end - arrow - 6),
                     line.substr(end + 4, line.size() - end - 5), ""});
    } else if (!line.empty() && !all.empty())
      all.back().expected += line + "\n";
  }
  EXPECT_FALSE(all.empty());
  return all;
}

template <class Load> void check(const std::string &file, Load load) {
  for (const Mistake &mistake : readMistakes(file)) {
    SCOPED_TRACE(file + ": '" + mistake.from + "' -> '" + mistake.to + "'");
    Scratch scratch;
    std::string name = mistake.expected.substr(0, mistake.expected.find(':'));
    scratch.write(name, edited(mistake.example, mistake.from, mistake.to));
    Diagnostics diagnostics;
    load(name, diagnostics);
    EXPECT_EQ(diagnostics.str(), mistake.expected);
  }
}

void model(const std::string &path, Diagnostics &diagnostics) {
  std::vector<std::string> paths = {path};
  if (auto loaded = loadModel(paths, diagnostics))
    checkSupported(*loaded, diagnostics);
}

TEST(Mistakes, Model) { check("mistakes.txt", model); }
TEST(Mistakes, MoreOfModel) { check("more-mistakes.txt", model); }
TEST(Mistakes, Cluster) {
  check("cluster-mistakes.txt", [](const std::string &path, Diagnostics &d) { loadCluster(path, d); });
}
TEST(Mistakes, Plan) {
  Loaded criteo = example("criteo_dlrm");
  check("plan-mistakes.txt", [&](const std::string &path, Diagnostics &d) { loadPlan(path, criteo, d); });
}

} // namespace
} // namespace sparsec::description::test
