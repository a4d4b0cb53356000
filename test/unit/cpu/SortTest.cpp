#include "sparsec/Sort.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace sparsec;

namespace {

template <typename Value> class SortPairs : public testing::Test {
protected:
  using Pairs = std::vector<std::pair<uint64_t, Value>>;

  /// Sorts keys with their places as values; compares with the standard library.
  void check(const std::vector<uint64_t> &keys, uint64_t maxKey) {
    for (int threads : {0, 2, 3}) {
      ThreadPool pool(std::max(1, threads));
      std::vector<uint64_t> k = keys, scratchKeys(keys.size());
      std::vector<Value> v(keys.size()), scratchValues(keys.size());
      Pairs expected;
      for (size_t i = 0; i < keys.size(); ++i)
        expected.emplace_back(keys[i], v[i] = static_cast<Value>(i));
      std::sort(expected.begin(), expected.end()); // equal keys by place: stable
      auto sorted = sortPairs(k.data(), v.data(), static_cast<int64_t>(k.size()), maxKey, scratchKeys.data(),
                              scratchValues.data(), threads ? &pool : nullptr);
      Pairs got;
      for (size_t i = 0; i < keys.size(); ++i)
        got.emplace_back(sorted.keys[i], sorted.values[i]);
      EXPECT_EQ(got, expected) << keys.size() << " keys up to " << maxKey << ", threads " << threads;
    }
  }
};

using Values = testing::Types<int32_t, uint32_t, int64_t>;
TYPED_TEST_SUITE(SortPairs, Values);

TYPED_TEST(SortPairs, LikeStableSort) {
  std::mt19937_64 random(1);
  for (int64_t n : {0, 1, 2, 31, 32, 33, 1000, 100000}) // the last in three pieces
    for (uint64_t maxKey : {uint64_t(0), uint64_t(1), uint64_t(256), uint64_t(40000000), ~uint64_t(0)}) {
      std::vector<uint64_t> keys(n);
      for (uint64_t &key : keys)
        key = maxKey == ~uint64_t(0) ? random() : random() % (maxKey + 1);
      this->check(keys, maxKey);
    }
}

TYPED_TEST(SortPairs, OneIdRepeated) {
  std::vector<uint64_t> keys(100000, 0x1234567);
  this->check(keys, 40000000);
  keys[77777] = 3;
  this->check(keys, 40000000);
}

TYPED_TEST(SortPairs, SortedAndReversed) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < 70000; ++i)
    keys.push_back(i * 3);
  this->check(keys, keys.back());
  std::reverse(keys.begin(), keys.end());
  this->check(keys, keys.front());
}

TEST(FindSegments, RunsOfEqualKeys) {
  std::vector<uint64_t> keys{2, 2, 5, 7, 7, 7}, unique(6);
  std::vector<int64_t> start(7);
  ASSERT_EQ(findSegments(keys.data(), 6, unique.data(), start.data()), 3);
  unique.resize(3);
  start.resize(4);
  EXPECT_EQ(unique, (std::vector<uint64_t>{2, 5, 7}));
  EXPECT_EQ(start, (std::vector<int64_t>{0, 2, 3, 6}));
}

TEST(FindSegments, EmptyAndOneId) {
  int64_t start[9];
  EXPECT_EQ(findSegments(nullptr, 0, nullptr, start), 0);
  EXPECT_EQ(start[0], 0);
  std::vector<uint64_t> keys(8, 9);
  EXPECT_EQ(findSegments(keys.data(), 8, nullptr, start), 1);
  EXPECT_EQ(start[1], 8);
}

TEST(FindSegments, InPlace) {
  std::vector<uint64_t> keys{1, 1, 1, 4, 6, 6};
  std::vector<int64_t> start(7);
  ASSERT_EQ(findSegments(keys.data(), 6, keys.data(), start.data()), 3);
  keys.resize(3);
  EXPECT_EQ(keys, (std::vector<uint64_t>{1, 4, 6}));
}

} // namespace
