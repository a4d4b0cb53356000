// Least significant digit first radix sort.
#include "sparsec/Sort.h"
#include <bit>
#include <utility>
#include <vector>

using namespace sparsec;

namespace {

constexpr int digitBits = 8; // 256 streams: they fit the first-level cache and the TLB
constexpr int buckets = 1 << digitBits;
constexpr int64_t piecePerThread = 1 << 15;

template <typename Value> void insertionSort(uint64_t *keys, Value *values, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    uint64_t key = keys[i];
    Value value = values[i];
    int64_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) {
      keys[j] = keys[j - 1];
      values[j] = values[j - 1];
    }
    keys[j] = key;
    values[j] = value;
  }
}

/// The pieces that threads take: how many only changes the speed.
struct Pieces {
  int64_t n, count;
  int64_t begin(int64_t p) const { return n * p / count; }
};

} // namespace

template <typename Value>
SortedPairs<Value> sparsec::sortPairs(uint64_t *keys, Value *values, int64_t n, uint64_t maxKey, uint64_t *scratchKeys,
                                      Value *scratchValues, ThreadPool *pool) {
  if (n <= 32) {
    insertionSort(keys, values, n);
    return {keys, values};
  }
  Pieces pieces{n, pool ? std::clamp<int64_t>(n / piecePerThread, 1, pool->threads()) : 1};
  auto forPieces = [&](auto &&body) {
    if (pieces.count == 1)
      return body(0, 1);
    pool->parallel(pieces.count, 1, body);
  };

  std::vector<int64_t> place(pieces.count * buckets);
  for (int shift = 0, bits = std::bit_width(maxKey); shift < bits; shift += digitBits) {
    std::fill(place.begin(), place.end(), 0);
    forPieces([&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p)
        for (int64_t i = pieces.begin(p), end = pieces.begin(p + 1); i < end; ++i)
          ++place[p * buckets + (keys[i] >> shift & (buckets - 1))];
    });
    // Places in order of (digit, piece): equal digits keep their order.
    int64_t next = 0;
    bool oneDigit = false;
    for (int digit = 0; digit < buckets; ++digit) {
      int64_t before = next;
      for (int64_t p = 0; p < pieces.count; ++p)
        next += std::exchange(place[p * buckets + digit], next);
      oneDigit |= next - before == n;
    }
    if (oneDigit)
      continue;
    forPieces([&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        int64_t *at = &place[p * buckets];
        for (int64_t i = pieces.begin(p), end = pieces.begin(p + 1); i < end; ++i) {
          int64_t to = at[keys[i] >> shift & (buckets - 1)]++;
          scratchKeys[to] = keys[i];
          scratchValues[to] = values[i];
        }
      }
    });
    std::swap(keys, scratchKeys);
    std::swap(values, scratchValues);
  }
  return {keys, values};
}

template SortedPairs<int32_t> sparsec::sortPairs(uint64_t *, int32_t *, int64_t, uint64_t, uint64_t *, int32_t *,
                                                 ThreadPool *);
template SortedPairs<uint32_t> sparsec::sortPairs(uint64_t *, uint32_t *, int64_t, uint64_t, uint64_t *, uint32_t *,
                                                  ThreadPool *);
template SortedPairs<int64_t> sparsec::sortPairs(uint64_t *, int64_t *, int64_t, uint64_t, uint64_t *, int64_t *,
                                                 ThreadPool *);

int64_t sparsec::findSegments(const uint64_t *keys, int64_t n, uint64_t *unique, int64_t *start) {
  int64_t runs = 0;
  for (int64_t i = 0; i < n;) {
    uint64_t key = keys[i];
    start[runs] = i;
    if (unique)
      unique[runs] = key;
    ++runs;
    while (i < n && keys[i] == key)
      ++i;
  }
  start[runs] = n;
  return runs;
}
