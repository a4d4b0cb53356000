#include "sparsec/ThreadPool.h"
#include "../ScarceMemory.h"
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace sparsec;

namespace {

std::set<std::pair<int64_t, int64_t>> rangesOf(ThreadPool &pool, int64_t n, int64_t grain) {
  std::set<std::pair<int64_t, int64_t>> ranges;
  std::mutex mutex;
  pool.parallel(n, grain, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(ranges.emplace(begin, end).second);
  });
  return ranges;
}

TEST(ThreadPool, CoversEveryElementOnce) {
  for (int threads : {1, 2, 4})
    for (int64_t n : {0, 1, 7, 1000, 100000}) {
      ThreadPool pool(threads);
      std::vector<int> visits(n);
      pool.parallel(n, 3, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          ++visits[i];
      });
      EXPECT_EQ(visits, std::vector<int>(n, 1)) << threads << " threads, n " << n;
    }
}

TEST(ThreadPool, RangesDoNotDependOnThreads) {
  ThreadPool one(1), two(2), four(4);
  for (int64_t n : {1, 10, 1023, 100003})
    for (int64_t grain : {1, 8, 1000}) {
      auto expected = rangesOf(one, n, grain);
      EXPECT_EQ(rangesOf(two, n, grain), expected);
      EXPECT_EQ(rangesOf(four, n, grain), expected);
      for (auto [begin, end] : expected)
        EXPECT_TRUE(end - begin >= grain || end == n);
      EXPECT_LE(static_cast<int64_t>(expected.size()), ThreadPool::maxRanges);
    }
}

TEST(ThreadPool, UsesItsThreads) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.threads(), 3);
  // Three ranges that wait for each other can only end on three threads.
  std::atomic<int> arrived = 0;
  pool.parallel(3, 1, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 3)
      std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPool, NestedCallsRunInline) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum = 0;
  pool.parallel(16, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto outer = std::this_thread::get_id();
      pool.parallel(10, 1, [&](int64_t b, int64_t e) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        sum += e - b;
      });
    }
  });
  EXPECT_EQ(sum, 160);
}

TEST(ThreadPool, WhatABodyThrowsIsThrownOnce) {
  for (int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> inside = 0;
      EXPECT_THROW(pool.parallel(64, 1,
                                 [&](int64_t begin, int64_t) {
                                   ++inside;
                                   if (begin % 3 == round % 3)
                                     throw std::bad_alloc();
                                   std::this_thread::yield();
                                   --inside;
                                 }),
                   std::bad_alloc);
      int after = inside;
      std::this_thread::yield();
      EXPECT_EQ(inside, after) << "a range is still under way";
    }
    std::atomic<int64_t> sum = 0;
    pool.parallel(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 100) << "it works as before";
  }
}

TEST(ThreadPool, AThreadOfItsOwnMayThrow) {
  ThreadPool pool(3);
  std::atomic<int> arrived = 0;
  auto caller = std::this_thread::get_id();
  EXPECT_THROW(pool.parallel(3, 1,
                             [&](int64_t, int64_t) {
                               ++arrived;
                               while (arrived < 3)
                                 std::this_thread::yield();
                               if (std::this_thread::get_id() != caller)
                                 throw std::runtime_error("not on the caller's thread");
                             }),
               std::runtime_error);
}

#ifndef SPARSEC_NEEDS_ADDRESS_SPACE
TEST(ThreadPool, TellsWhereThreadsCannotBeStarted) {
  {
    std::optional<test::ScarceMemory> scarce(std::in_place);
    ThreadPool pool(4000);
    scarce.reset();
    EXPECT_EQ(pool.started().message().find("cannot start 4000 threads: "), 0u) << pool.started().message();
    EXPECT_EQ(pool.threads(), 1);
    int64_t sum = 0;
    pool.parallel(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 100);
  }
  EXPECT_TRUE(ThreadPool(4).started().ok());
}
#endif

TEST(ThreadPool, ManyCallersShareOnePool) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        pool.parallel(50, 10, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 500 * 50);
}

} // namespace
