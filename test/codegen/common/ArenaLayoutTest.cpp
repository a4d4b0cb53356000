#include "codegen/Common/ArenaLayout.h"
#include <gtest/gtest.h>
#include <random>

using namespace sparsec::codegen;

namespace {

TEST(ArenaLayout, Empty) { EXPECT_EQ(layoutArena({}, 64).bytes, 0); }

TEST(ArenaLayout, BuffersThatNeverMeetShare) {
  ArenaLayout layout = layoutArena({{100, 0, 1}, {100, 2, 3}, {100, 4, 5}}, 64);
  EXPECT_EQ(layout.bytes, 128);
}

TEST(ArenaLayout, TheLastUseIsStillAlive) {
  ArenaLayout layout = layoutArena({{64, 0, 2}, {64, 2, 3}}, 64);
  EXPECT_EQ(layout.bytes, 128);
}

TEST(ArenaLayout, NeverOverlapsAndIsNoWorseThanNoReuse) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLife> lives;
    int64_t all = 0;
    for (int i = 0; i < 30; ++i) {
      int64_t first = random() % 50, bytes = random() % 1000;
      lives.push_back({bytes, first, first + int64_t(random() % 10)});
      all += (bytes + 63) / 64 * 64;
    }
    ArenaLayout layout = layoutArena(lives, 64);
    EXPECT_LE(layout.bytes, all);
    for (size_t i = 0; i < lives.size(); ++i) {
      EXPECT_EQ(layout.offsets[i] % 64, 0);
      EXPECT_LE(layout.offsets[i] + lives[i].bytes, layout.bytes);
      for (size_t j = 0; j < i; ++j) {
        bool meet = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
        bool apart = layout.offsets[i] + lives[i].bytes <= layout.offsets[j] ||
                     layout.offsets[j] + lives[j].bytes <= layout.offsets[i];
        EXPECT_TRUE(!meet || apart) << i << " and " << j;
      }
    }
  }
}

} // namespace
