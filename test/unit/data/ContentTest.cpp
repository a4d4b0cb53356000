// The check that all ranks read the same files.
#include "DataTest.h"

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

ContentCheck check(const std::vector<std::string> &files) {
  Result<ContentCheck> c = checkContent(files);
  EXPECT_TRUE(c.ok()) << c.status().message();
  return *c;
}

} // namespace

TEST(Content, SeesEveryByteOfSmallFiles) {
  Files files;
  std::string text(100000, 'a'), one = files.write("1", text);
  EXPECT_EQ(check({one}).bytes, 100000);
  EXPECT_EQ(check({one}), check({files.write("copy", text)}));
  for (size_t at : {size_t(0), size_t(50000), size_t(99999)}) {
    std::string changed = text;
    changed[at] = 'b';
    EXPECT_NE(check({one}), check({files.write("changed", changed)}));
  }
}

TEST(Content, SeesOrderAndCuts) {
  Files files;
  std::string ab = files.write("ab", "ab"), c = files.write("c", "c"), a = files.write("a", "a"),
              bc = files.write("bc", "bc");
  EXPECT_NE(check({ab, c}), check({c, ab}));
  EXPECT_NE(check({ab, c}), check({a, bc}));
  EXPECT_EQ(check({ab, c}).bytes, check({a, bc}).bytes);
}

TEST(Content, SamplesLargeFiles) {
  Files files;
  std::string text(5 << 20, 'a'), base = files.write("base", text);
  auto differs = [&](size_t at, bool removed) {
    std::string changed = text;
    if (removed)
      changed.erase(at, 1);
    else
      changed[at] = 'b';
    return !(check({base}) == check({files.write("changed", changed)}));
  };
  EXPECT_TRUE(differs(0, false));
  EXPECT_TRUE(differs(text.size() - 1, false));
  EXPECT_TRUE(differs(12345678 % text.size(), true));
}

TEST(Content, NamesWhatItCannotRead) {
  Result<ContentCheck> c = checkContent({"/nowhere/f"});
  EXPECT_EQ(c.status().message(), "/nowhere/f: cannot read: No such file or directory");
}
