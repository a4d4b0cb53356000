// Tables with bags of ids for lookups of a device, and what their sums are.
#pragma once
#include "test/support/RandomFloats.h"
#include "test/unit/gpu/TestDevice.h"
#include <cmath>
#include <gtest/gtest.h>

namespace sparsec::codegen::device {

/// One table with its bags.
struct LookupEntry {
  std::vector<int64_t> offsets{0}, values;
  std::vector<float> weights, table;
  std::vector<uint16_t> narrow; // the table, where its elements have 16 bits
  int64_t row0, rows, dim;
  float *out = nullptr;

  int64_t bags() const { return int64_t(offsets.size()) - 1; }
  LookupEntry(int64_t dim, int64_t rows, const std::vector<int64_t> &lengths, bool weighted, std::mt19937 &random)
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
            narrow.empty() ? device.put(table) : reinterpret_cast<const float *>(device.put(narrow)),
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

/// Pools all entries on one device.
inline Status pool(TestDevice &device, std::vector<LookupEntry> &entries, const SparsecKernel &kernel) {
  std::vector<SparsecLookupEntry> list;
  int64_t bags = 0, chunks = 0, n = int64_t(entries.size());
  for (LookupEntry &entry : entries) {
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
  float *partial = device.floats(chunks * 2 * entries.front().dim);
  Status status = device.run(kernel, chunks, entriesThere, n, partial);
  return status ? device.run(*kernel.then, bags, entriesThere, n, partial) : status;
}

} // namespace sparsec::codegen::device
