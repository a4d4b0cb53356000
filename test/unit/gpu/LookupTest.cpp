// Lookups of a device against sums in double precision, in every order of fibers.
#include "test/unit/gpu/TestDevice.h"
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/TestedShapes.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {

std::vector<float> randomFloats(int64_t n, std::mt19937 &random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float &value : values)
    value = uniform(random);
  return values;
}

/// One table with its bags.
struct Entry {
  std::vector<int64_t> offsets{0}, values;
  std::vector<float> weights, table;
  int64_t row0, rows, dim;
  float *out = nullptr;

  int64_t bags() const { return int64_t(offsets.size()) - 1; }
  Entry(int64_t dim, int64_t rows, const std::vector<int64_t> &lengths, bool weighted, std::mt19937 &random)
      : row0(int64_t(1) << 35), rows(rows), dim(dim) {
    for (int64_t length : lengths) {
      for (int64_t k = 0; k < length; ++k)
        values.push_back(row0 + int64_t(random() % uint64_t(rows)));
      offsets.push_back(int64_t(values.size()));
    }
    table = randomFloats(rows * dim, random);
    if (weighted)
      weights = randomFloats(int64_t(values.size()), random);
  }
  SparsecLookupEntry put(TestDevice &device, int64_t first, int64_t firstChunk) {
    out = device.floats(bags() * dim);
    return {first,
            firstChunk,
            device.put(offsets),
            device.put(values),
            weights.empty() ? nullptr : device.put(weights),
            device.put(table),
            row0,
            out};
  }
  int64_t chunks(int64_t chunk) const { return (int64_t(values.size()) + chunk - 1) / chunk; }
  void check(bool inChunks) const {
    for (int64_t bag = 0; bag < bags(); ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        double sum = 0, magnitude = 1;
        float inOrder = 0; // what the host's kernels would say, bit for bit
        for (int64_t k = offsets[bag]; k < offsets[bag + 1]; ++k) {
          float weight = weights.empty() ? 1 : weights[k], x = table[(values[k] - row0) * dim + c];
          double term = double(weight) * x;
          inOrder = std::fma(weight, x, inOrder);
          sum += term;
          magnitude += std::abs(term);
        }
        if (!inChunks)
          ASSERT_EQ(out[bag * dim + c], inOrder) << "bag " << bag << ", column " << c;
        double rounding = 6e-8 * double(offsets[bag + 1] - offsets[bag] + 1);
        ASSERT_NEAR(out[bag * dim + c], sum, rounding * magnitude) << "bag " << bag << ", column " << c;
      }
  }
};

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

  /// Pools all entries on one device.
  Status pool(TestDevice &device, std::vector<Entry> &entries, const SparsecKernel &kernel) {
    std::vector<SparsecLookupEntry> list;
    int64_t bags = 0, chunks = 0, n = int64_t(entries.size());
    for (Entry &entry : entries) {
      list.push_back(entry.put(device, bags, chunks));
      bags += entry.bags();
      chunks += kernel.chunk ? entry.chunks(kernel.chunk) : 0;
    }
    list.push_back({});
    list.back().first = bags;
    list.back().first_chunk = chunks;
    SparsecLookupEntry *entriesThere = device.put(list);
    if (!kernel.chunk)
      return device.run(kernel, bags, entriesThere, n);
    float *partial = device.floats(chunks * 2 * dim);
    Status status = device.run(kernel, chunks, entriesThere, n, partial);
    return status ? device.run(*kernel.then, bags, entriesThere, n, partial) : status;
  }

  /// Pools all entries in every order of fibers, by bag and split, and compares.
  void run(std::vector<Entry> &entries, bool weightedKernel) {
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
  std::vector<Entry> entries;
  for (int64_t kind : kinds) // odd numbers of bags, so that teams and blocks straddle tables
    entries.emplace_back(dim, 37, lengthsOf(kind, kind > 2 ? 3 : 7, random), false, random);
  run(entries, false);
}
TEST_P(GpuLookup, Weighted) {
  std::vector<Entry> entries;
  entries.emplace_back(dim, 37, lengthsOf(5, 9, random), true, random);
  entries.emplace_back(dim, 37, lengthsOf(3, 5, random), false, random); // null: all 1
  run(entries, true);
}
TEST_P(GpuLookup, OneLongBagOfOneId) {
  std::vector<Entry> entries;
  entries.emplace_back(dim, 1, std::vector<int64_t>{1000}, false, random);
  run(entries, false);
}
/// Bags that end and begin at, before and behind the borders of chunks, with empty ones between them.
TEST_P(GpuLookup, BagsAtBordersOfChunks) {
  std::vector<Entry> entries;
  for (std::vector<int64_t> lengths : std::vector<std::vector<int64_t>>{
           {64, 0, 64, 1}, {63, 0, 0, 1, 128, 2}, {0, 65, 63, 0}, {1, 190, 0, 1, 0}, {20, 20, 20, 20, 70, 20}, {}})
    entries.emplace_back(dim, 9, lengths, false, random);
  run(entries, false);
}
TEST_P(GpuLookup, NoBags) {
  std::vector<Entry> entries;
  entries.emplace_back(dim, 1, std::vector<int64_t>(), false, random);
  run(entries, false);
}
TEST_P(GpuLookup, ManyTables) {
  std::vector<Entry> entries;
  for (int64_t table = 0; table < (dim <= 128 ? 200 : 20); ++table)
    entries.emplace_back(dim, 5, lengthsOf(int64_t(random() % 3), int64_t(random() % 4), random), false, random);
  run(entries, false);
}

/// Bags of an exchange lie one behind the other, wherever that is.
TEST_P(GpuLookup, OutAtAnyMultipleOfFourBytes) {
  TestDevice device(orders().back());
  Entry entry(dim, 7, {3, 0, 5}, false, random);
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
  Entry entry(dim, 7, {3, 1}, false, random);
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
  Entry entry(dim, 2, {2}, false, random);
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
