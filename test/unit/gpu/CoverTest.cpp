// Every kernel of no dense layer, on a few cases in which every pair of levels of two factors occurs.
#include "test/unit/gpu/cover/Cover.h"
#include <gtest/gtest.h>

using namespace sparsec::codegen::device::cover;

namespace {

const std::vector<Case> &cover() {
  static const std::vector<Case> cases = pairwiseCover(1);
  return cases;
}

/// Counted here in another way than where the cover is made.
TEST(GpuCover, HasEveryPair) {
  std::set<std::array<int, 4>> missing;
  for (const Levels &levels : combinations().fullProduct())
    for (int a = 0; a < factorCount; ++a)
      for (int b = 0; b < a; ++b)
        missing.insert({a, levels[a], b, levels[b]});
  size_t pairs = missing.size();
  for (const Case &of : cover())
    for (int a = 0; a < factorCount; ++a)
      for (int b = 0; b < a; ++b)
        missing.erase({a, of.levels[a], b, of.levels[b]});
  EXPECT_GT(pairs, 1000u);
  EXPECT_TRUE(missing.empty()) << missing.size() << " of " << pairs << " pairs are in no case";
  EXPECT_LT(cover().size(), 400u);
}

TEST(GpuCover, EveryPair) {
  Cover checks(cover());
  for (const Case &of : cover())
    EXPECT_EQ(checks.check(of), "") << of.name();
}

} // namespace
