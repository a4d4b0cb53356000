// The samples of one rank for one step, in the form that generated code reads
// (abi.h).
#pragma once
#include "sparsec/Status.h"
#include "sparsec/abi.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace sparsec {

/// A growing array of plain numbers, 64-byte aligned, not initialised. Keeps
/// its memory when it shrinks, so that a batch that is used again allocates
/// nothing.
template <typename T> class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept
      : first(std::exchange(other.first, nullptr)), count(std::exchange(other.count, 0)),
        room(std::exchange(other.room, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(first, other.first);
    std::swap(count, other.count);
    std::swap(room, other.room);
    return *this;
  }
  ~Buffer() { std::free(first); }

  T *data() { return first; }
  const T *data() const { return first; }
  int64_t size() const { return count; }
  T &operator[](int64_t i) { return first[i]; }
  const T &operator[](int64_t i) const { return first[i]; }

  void resize(int64_t n) {
    reserve(n);
    count = n;
  }
  void push(T value) {
    if (count == room) [[unlikely]]
      grow(count + 1);
    first[count++] = value;
  }
  /// Room for at least n; grows by doubling. `first` is never null afterwards.
  void reserve(int64_t n) {
    if (!first || n > room)
      grow(n);
  }

private:
  [[gnu::noinline]] void grow(int64_t n) {
    constexpr int64_t line = 64 / sizeof(T);
    int64_t wanted = (std::max({n, 2 * room, line}) + line - 1) / line * line;
    T *grown = static_cast<T *>(std::aligned_alloc(64, wanted * sizeof(T)));
    if (!grown)
      throw std::bad_alloc();
    if (count)
      std::memcpy(grown, first, count * sizeof(T));
    std::free(first);
    first = grown;
    room = wanted;
  }

  T *first = nullptr;
  int64_t count = 0, room = 0;
};

/// The ids of one feature: a bag for each sample.
class IdBatch {
public:
  Buffer<int64_t> offsets, values, counts;
  Buffer<float> weights; // used if `weighted`
  bool weighted = false;
  bool counted = false; // some bag lost ids of policy `zero`; else `counts` is not filled
  void clear() {
    offsets.resize(0);
    offsets.push(0);
    values.resize(0);
    counts.resize(0);
    weights.resize(0);
    counted = false;
  }
  /// Ends a bag: it holds all values since the last one, and had `count` ids
  /// before ids of policy `zero` left it.
  void endBag(int64_t count) {
    if (!counted && count != values.size() - offsets[offsets.size() - 1]) [[unlikely]] {
      counted = true;
      for (int64_t bag = 0; bag < bags(); ++bag)
        counts.push(offsets[bag + 1] - offsets[bag]);
    }
    if (counted)
      counts.push(count);
    offsets.push(values.size());
  }
  int64_t bags() const { return offsets.size() ? offsets.size() - 1 : 0; }
  /// Makes view() point at what is there now. Call after the last bag.
  void finish() {
    values.reserve(values.size());
    weights.reserve(weights.size());
    starts[0] = 0;
    starts[1] = bags();
    jagged = {1,
              1,
              bags(),
              starts,
              offsets.data(),
              values.data(),
              weighted ? weights.data() : nullptr,
              counted ? counts.data() : nullptr};
  }
  /// Valid until the batch is filled again or moved.
  const SparsecJagged &view() const { return jagged; }

private:
  int64_t starts[2] = {0, 0};
  SparsecJagged jagged{};
};

/// What happened to the ids of one feature.
struct IdCounters {
  int64_t dropped = 0, clamped = 0,
          zeroed = 0;  // ids out of range, or unknown words
  int64_t cut = 0;     // ids beyond max_length
  int64_t missing = 0; // missing fields, whatever the model says of them
  IdCounters &operator+=(const IdCounters &other) {
    dropped += other.dropped;
    clamped += other.clamped;
    zeroed += other.zeroed;
    cut += other.cut;
    missing += other.missing;
    return *this;
  }
};

/// One rank's part of one global batch. A batch that could not be read has a
/// failed `status` and no samples, but its place in the stream holds.
struct Batch {
  Status status;
  int64_t samples = 0;       // of this rank
  int64_t firstSample = 0;   // place of my first sample in the global batch
  int64_t globalSamples = 0; // of the whole batch, over all ranks
  int64_t epoch = 0, batchIndex = 0;
  bool lastOfEpoch = false;
  std::vector<Buffer<float>> inputs; // for each Program::inputs: [samples, width]
  std::vector<Buffer<float>> labels; // for each Program::labels: [samples];
                                     // empty where labels are not read
  std::vector<IdBatch> ids;          // for each Program::features: its bags; no bags for a number
  std::vector<IdCounters> counters;  // for each Program::features
};

} // namespace sparsec
