// Lookups of a device against sums in double precision, in every order of fibers.
#include "test/unit/gpu/LookupEntry.h"
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/TestedShapes.h"

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

/// Bag lengths by name: a single one, or a mixture.
std::vector<int64_t> lengthsOf(int64_t kind, int64_t bags, std::mt19937 &random) {
  std::vector<int64_t> lengths(bags, kind);
  if (kind < 0) // Zipf: bag b has about 300 / b ids
    for (int64_t bag = 0; bag < bags; ++bag)
      lengths[bag] = int64_t(300.0 / double(1 + random() % 200));
  return lengths;
}

class GpuLookup : public testing::TestWithParam<int64_t> {
protected:
  const SparsecKernel &kernel(bool weighted, bool split = false) {
    return testedKernel(KernelSuite::lookups,
                        "lookup_sum_d" + std::to_string(dim) + (weighted ? "_weighted" : "") + (split ? "_split" : ""));
  }

  /// Pools all entries in every order of fibers, by bag and split, and compares.
  void run(std::vector<LookupEntry> &entries, bool weightedKernel) {
    for (bool split : {false, true}) {
      std::vector<std::vector<float>> first;
      for (LaunchOrder order : orders()) {
        TestDevice device(order);
        Status status = pool(device, entries, kernel(weightedKernel, split));
        ASSERT_TRUE(status.ok()) << status.message();
        for (size_t e = 0; e < entries.size(); ++e) {
          std::vector<float> out = taken(entries[e].out, entries[e].bags() * dim);
          if (first.size() <= e) {
            entries[e].check(split);
            first.push_back(out);
          }
          ASSERT_EQ(first[e].size(), out.size());
          ASSERT_EQ(std::memcmp(first[e].data(), out.data(), out.size() * sizeof(float)), 0) << "order " << order.kind;
        }
      }
    }
  }

  int64_t dim = GetParam();
  std::mt19937 random{uint32_t(GetParam())};
};

TEST_P(GpuLookup, EveryLength) {
  int64_t kinds[] = {0, 1, 2, 31, 32, 33, -1};
  std::vector<LookupEntry> entries;
  for (int64_t kind : kinds) // odd numbers of bags, so that teams and blocks straddle tables
    entries.emplace_back(dim, 37, lengthsOf(kind, kind > 2 ? 3 : 7, random), false, random);
  run(entries, false);
}
TEST_P(GpuLookup, Weighted) {
  std::vector<LookupEntry> entries;
  entries.emplace_back(dim, 37, lengthsOf(5, 9, random), true, random);
  entries.emplace_back(dim, 37, lengthsOf(3, 5, random), false, random); // null: all 1
  run(entries, true);
}
TEST_P(GpuLookup, OneLongBagOfOneId) {
  std::vector<LookupEntry> entries;
  entries.emplace_back(dim, 1, std::vector<int64_t>{1000}, false, random);
  run(entries, false);
}
/// Bags that end and begin at, before and behind the borders of chunks, with empty ones between them.
TEST_P(GpuLookup, BagsAtBordersOfChunks) {
  std::vector<LookupEntry> entries;
  for (std::vector<int64_t> lengths : std::vector<std::vector<int64_t>>{
           {64, 0, 64, 1}, {63, 0, 0, 1, 128, 2}, {0, 65, 63, 0}, {1, 190, 0, 1, 0}, {20, 20, 20, 20, 70, 20}, {}})
    entries.emplace_back(dim, 9, lengths, false, random);
  run(entries, false);
}
TEST_P(GpuLookup, NoBags) {
  std::vector<LookupEntry> entries;
  entries.emplace_back(dim, 1, std::vector<int64_t>(), false, random);
  run(entries, false);
}
TEST_P(GpuLookup, ManyTables) {
  std::vector<LookupEntry> entries;
  for (int64_t table = 0; table < (dim <= 128 ? 200 : 20); ++table)
    entries.emplace_back(dim, 5, lengthsOf(int64_t(random() % 3), int64_t(random() % 4), random), false, random);
  run(entries, false);
}

/// Bags of an exchange lie one behind the other, wherever that is.
TEST_P(GpuLookup, OutAtAnyMultipleOfFourBytes) {
  TestDevice device(orders().back());
  LookupEntry entry(dim, 7, {3, 0, 5}, false, random);
  SparsecLookupEntry list[2] = {entry.put(device, 0, 0), {}};
  list[1].first = 3;
  float *out = device.floats(3 * dim + 1);
  list[0].out = entry.out = out + 1;
  Status status = device.run(kernel(false), 3, device.put(std::vector<SparsecLookupEntry>(list, list + 2)), int64_t(1));
  ASSERT_TRUE(status.ok()) << status.message();
  entry.check(false);
}

/// An id outside of the table is seen where the row is read.
TEST_P(GpuLookup, RowBehindTheTable) {
  TestDevice device;
  LookupEntry entry(dim, 7, {3, 1}, false, random);
  entry.values[1] = entry.row0 + 7;
  std::vector<SparsecLookupEntry> list{entry.put(device, 0, 0), SparsecLookupEntry()};
  list[1].first = 2;
  Status status = device.run(kernel(false), 2, device.put(list), int64_t(1));
  EXPECT_NE(status.message().find("codegen/GPU/kernels/Lookup.cpp:"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("outside of the device's memory"), std::string::npos) << status.message();
}

/// A table of 64 GB of which two rows are touched.
TEST_P(GpuLookup, RowsFarInside) {
  TestDevice device(orders().back());
  LookupEntry entry(dim, 2, {2}, false, random);
  int64_t rows = (int64_t(16) << 30) / dim;
  auto *table = static_cast<float *>(device.place->allocate(rows * dim * 4));
  ASSERT_NE(table, nullptr);
  std::memcpy(table + (rows - 1) * dim, entry.table.data(), dim * sizeof(float));
  std::memcpy(table + (rows / 2) * dim, entry.table.data() + dim, dim * sizeof(float));
  entry.values = {entry.row0 + rows - 1, entry.row0 + rows / 2};
  std::vector<SparsecLookupEntry> list{entry.put(device, 0, 0), SparsecLookupEntry()};
  list[1].first = 1;
  list[0].table = table;
  Status status = device.run(kernel(false), 1, device.put(list), int64_t(1));
  ASSERT_TRUE(status.ok()) << status.message();
  for (int64_t c = 0; c < dim; ++c)
    ASSERT_EQ(entry.out[c], entry.table[c] + entry.table[dim + c]);
}

INSTANTIATE_TEST_SUITE_P(Dims, GpuLookup, testing::ValuesIn(rowDims));

} // namespace
