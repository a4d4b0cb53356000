// Lookups under every schedule that a class may have, and of rows with elements of 16 bits.
#include "test/unit/gpu/GpuRunner.h"
#include "test/unit/gpu/LookupEntry.h"

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Bags of no id, of one, of less and more than rows in flight, and of several chunks, that straddle blocks and chunks.
std::vector<LookupEntry> entriesOf(int64_t dim, bool weighted, std::mt19937 &random) {
  std::vector<LookupEntry> entries;
  entries.emplace_back(dim, 23, std::vector<int64_t>{1, 0, 3, 9, 0, 17, 1, 2, 5, 33, 7}, weighted, random);
  entries.emplace_back(dim, 23, std::vector<int64_t>{0, 300, 0, 64, 31, 1}, weighted, random);
  return entries;
}

const LaunchOrder shuffled{{EmulationOrder::random, 3}};

std::vector<LookupEntry> pooled(const SparsecKernel &kernel, std::vector<LookupEntry> entries, TestDevice &device) {
  Status status = pool(device, entries, kernel);
  EXPECT_TRUE(status.ok()) << kernel.name << ": " << status.message();
  for (LookupEntry &entry : entries) {
    SCOPED_TRACE(kernel.name);
    entry.check(kernel.chunk > 0);
  }
  return entries;
}

class GpuSchedules : public testing::TestWithParam<int64_t> {};

TEST_P(GpuSchedules, SameBitsWhereSumsHaveOneOrder) {
  GpuRunner runner;
  std::vector<std::pair<LookupClass, Schedule>> all;
  for (bool weighted : {false, true})
    for (const Schedule &schedule : schedulesOf({GetParam(), weighted})) {
      all.push_back({{GetParam(), weighted}, schedule});
      runner.kernels().lookup(all.back().first, schedule);
    }
  runner.compile();
  std::map<std::pair<bool, int64_t>, std::vector<std::vector<float>>> first; // by weights and chunk
  for (const auto &[of, schedule] : all) {
    std::mt19937 random(7);
    TestDevice device(shuffled);
    auto entries = pooled(runner.kernel(lookupName(of, schedule)), entriesOf(of.dim, of.weighted, random), device);
    std::vector<std::vector<float>> sums;
    for (const LookupEntry &entry : entries)
      sums.push_back(taken(entry.out, entry.bags() * of.dim));
    auto [same, isNew] = first.try_emplace({of.weighted, schedule.chunk}, sums);
    EXPECT_EQ(same->second, sums) << lookupName(of, schedule);
  }
}
INSTANTIATE_TEST_SUITE_P(Dims, GpuSchedules, testing::Values(1, 3, 4, 16, 100, 128, 129, 1024));

TEST(GpuSchedules, EachHasItsName) {
  for (int64_t dim : {1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 129, 256, 1023, 1024, 2048}) {
    std::set<std::string> names;
    auto schedules = schedulesOf({dim, false});
    for (const Schedule &schedule : schedules)
      names.insert(lookupName({dim, false}, schedule));
    EXPECT_EQ(names.size(), schedules.size()) << dim;
    EXPECT_TRUE(names.contains("lookup_sum_d" + std::to_string(dim)));
    EXPECT_TRUE(names.contains("lookup_sum_d" + std::to_string(dim) + "_split"));
  }
}

/// What bits say: a sign, `exponent` bits with a bias, and a fraction.
float decoded(uint16_t bits, int exponentBits) {
  int fractionBits = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits & 0x7fff) >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = exponent ? std::ldexp(1.0 + std::ldexp(fraction, -fractionBits), exponent - bias)
                              : std::ldexp(fraction, 1 - bias - fractionBits);
  return float(bits & 0x8000 ? -magnitude : magnitude);
}

class GpuNarrowRows : public testing::TestWithParam<std::tuple<RowElement, int64_t>> {};

TEST_P(GpuNarrowRows, AreSummedAsFloats) {
  auto [element, dim] = GetParam();
  int exponentBits = element == RowElement::f16 ? 5 : 8;
  GpuRunner runner;
  for (bool weighted : {false, true})
    for (bool split : {false, true}) {
      LookupClass of{dim, weighted, 0, element};
      runner.kernels().lookup(of, usualSchedule(of, split));
    }
  runner.compile();
  for (bool weighted : {false, true})
    for (bool split : {false, true}) {
      LookupClass of{dim, weighted, 0, element};
      std::mt19937 random(5);
      auto entries = entriesOf(dim, weighted, random);
      for (LookupEntry &entry : entries) {
        for (float &value : entry.table) { // of about 1, some subnormal
          uint16_t bias = uint16_t((1 << (exponentBits - 1)) - 1), fractionBits = uint16_t(15 - exponentBits);
          uint16_t exponent = random() % 8 ? uint16_t(bias - random() % 4) : 0;
          uint16_t sign = random() % 2 ? 0x8000 : 0, fraction = uint16_t(random() % (1u << fractionBits));
          entry.narrow.push_back(uint16_t(sign | (exponent << fractionBits) | fraction));
          value = decoded(entry.narrow.back(), exponentBits);
        }
      }
      TestDevice device(shuffled);
      pooled(runner.kernel(lookupName(of, usualSchedule(of, split))), entries, device);
    }
}
INSTANTIATE_TEST_SUITE_P(All, GpuNarrowRows,
                         testing::Combine(testing::Values(RowElement::f16, RowElement::bf16),
                                          testing::Values(1, 2, 3, 4, 16, 31, 128, 1024)));

} // namespace
