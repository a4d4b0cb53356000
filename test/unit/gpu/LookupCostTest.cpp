// What the cost model chooses, as properties: on an A100, an H100, and whatever the constants become.
#include "codegen/GPU/LookupCost.h"
#include "codegen/GPU/kernels/RowTeam.h"
#include "dialect/Rec/Cluster.h"
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

rec::Cluster gpu(double rowRate) {
  rec::Cluster cluster;
  cluster.gatherRate = rowRate;
  cluster.copyRate = 2 * rowRate;
  cluster.launchLatency = 4e-6;
  return cluster;
}
constexpr double rates[] = {0.8e12, 1.7e12, 4e12};

ExpectedLookups lookups(int64_t dim, double length, double bags = 16384, int64_t tables = 1) {
  return {{dim, false, length}, bags, tables, 1e6};
}

TEST(LookupCost, ShortBagsByBag) {
  for (double rate : rates)
    for (int64_t dim : {4, 16, 64, 128, 512})
      for (double length : {0.5, 1.0, 2.0, 5.0})
        EXPECT_EQ(cheapestSchedule(lookups(dim, length), gpu(rate), false).chunk, 0)
            << dim << ", " << length << ", " << rate;
}

TEST(LookupCost, LongBagsSplit) {
  for (double rate : rates)
    for (int64_t dim : {4, 16, 64, 128, 512})
      for (double bags : {64.0, 512.0, 2048.0})
        EXPECT_GT(cheapestSchedule(lookups(dim, 1000, bags), gpu(rate), true).chunk, 0) << dim << ", " << bags;
}

TEST(LookupCost, NarrowRowsShareWarps) {
  for (double rate : rates)
    for (double length : {1.0, 8.0, 1000.0}) {
      EXPECT_LE(cheapestSchedule(lookups(4, length), gpu(rate), false).lanes, 1);
      EXPECT_LE(cheapestSchedule(lookups(16, length), gpu(rate), false).lanes, 4);
    }
}

/// Longer bags by bag and more bags never take less time, and a second launch is paid for.
TEST(LookupCost, Grows) {
  for (const Schedule &schedule : schedulesOf({64, false})) {
    double before = 0;
    for (double length : {1.0, 2.0, 8.0, 64.0, 512.0}) {
      double seconds = lookupSeconds(lookups(64, length), schedule, gpu(2e12));
      if (!schedule.chunk) // of short bags a chunk has more, which a team does one after the other
        EXPECT_GE(seconds, before) << lookupName({64, false}, schedule) << ", " << length;
      before = seconds;
    }
    EXPECT_GT(lookupSeconds(lookups(64, 8, 1e6), schedule, gpu(2e12)),
              lookupSeconds(lookups(64, 8, 1e5), schedule, gpu(2e12)));
    EXPECT_GE(before, (schedule.chunk ? 2 : 1) * gpu(2e12).launchLatency);
  }
}

TEST(LookupCost, NeverLessThanTheBytesTake) {
  for (double rate : rates)
    for (const Schedule &schedule : schedulesOf({128, false}))
      EXPECT_GE(lookupSeconds(lookups(128, 20), schedule, gpu(rate)), 16384 * 20 * 512.0 / rate);
}

/// A launch that others have anyway is only left for more than a launch takes.
TEST(LookupCost, LaunchesAreShared) {
  for (double length : {1.0, 3.0, 10.0, 40.0, 200.0, 1000.0}) {
    auto of = lookups(16, length, 2048);
    Schedule usual = usualSchedule(of.of, false), chosen = cheapestSchedule(of, gpu(1e12), /*sharesLaunch=*/true);
    if (!(chosen == usual))
      EXPECT_GT(lookupSeconds(of, usual, gpu(1e12)) - lookupSeconds(of, chosen, gpu(1e12)), gpu(1e12).launchLatency);
  }
}

TEST(LookupCost, WhatIsChosenIsThere) {
  for (int64_t dim : {1, 3, 4, 31, 128, 1024})
    for (double length : {0.0, 1.0, 7.0, 100.0, 5000.0}) {
      auto of = lookups(dim, length);
      Schedule chosen = cheapestSchedule(of, gpu(1e12), false);
      EXPECT_TRUE(llvm::is_contained(schedulesOf(of.of), chosen));
      EXPECT_EQ(chosen, cheapestSchedule(of, gpu(1e12), false));
    }
}

} // namespace
