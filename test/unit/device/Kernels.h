// Kernels of a device as device.h describes them, written by hand for the emulator: a thread for each unit, the class
// is the template argument. Every access is checked as those of generated kernels are.
#pragma once
#include "sparsec/device.h"
#include "sparsec/emulated_thread.h"
#include <algorithm>
#include <cmath>

namespace sparsec::test::device {

/// One thread, its unit, its arguments and its accesses.
class Unit {
public:
  Unit(SparsecThread *thread, const int64_t *arguments) : thread(thread), arguments(arguments) {}
  int64_t number() const { return thread->block * thread->threads + thread->thread; }
  int64_t integer(int i) const { return arguments[i]; }
  template <typename T> T *pointer(int i) const { return reinterpret_cast<T *>(arguments[i]); }

  template <typename T> T load(const T *from) const {
    touch(from, sizeof(T), SPARSEC_ACCESS_LOAD);
    return *from;
  }
  template <typename T> void store(T *to, T value) const {
    touch(to, sizeof(T), SPARSEC_ACCESS_STORE);
    *to = value;
  }
  /// A struct, word by word.
  template <typename T> T record(const T *from) const {
    for (size_t word = 0; word < sizeof(T); word += 8)
      touch(reinterpret_cast<const char *>(from) + word, 8, SPARSEC_ACCESS_LOAD);
    return *from;
  }
  /// The last of n entries whose `field` is at most `value`.
  template <typename T> const T *entry(const T *list, int64_t n, int64_t T::*field, int64_t value) const {
    int64_t low = 0, high = n - 1;
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      if (record(list + middle).*field <= value)
        low = middle;
      else
        high = middle - 1;
    }
    return list + low;
  }

  /// Whether the list has a unit of this number.
  template <typename T> bool has(const T *list, int64_t n, int64_t T::*field) const {
    return number() < record(list + n).*field;
  }

private:
  void touch(const void *address, int64_t bytes, int32_t access) const {
    static const SparsecSite site{"test/unit/device/Kernels.h", __LINE__, 0};
    sparsec_emulated_access(thread, address, bytes, access, &site);
  }
  SparsecThread *thread;
  const int64_t *arguments;
};

template <int D> struct Row {
  float value[D] = {};
  void add(const Unit &u, const float *row, float weight = 1) {
    for (int d = 0; d < D; ++d)
      value[d] += weight * u.load(row + d);
  }
  void write(const Unit &u, float *to) const {
    for (int d = 0; d < D; ++d)
      u.store(to + d, value[d]);
  }
};

//===- lookups ---------------------------------------------------------------------------------------------------===//

template <int D> Row<D> pooled(const Unit &u, const SparsecLookupEntry &entry, int64_t from, int64_t to) {
  Row<D> sum;
  for (int64_t p = from; p < to; ++p)
    sum.add(u, entry.table + (u.load(entry.values + p) - entry.row0) * D,
            entry.weights ? u.load(entry.weights + p) : 1.0f);
  return sum;
}

template <int D> void lookup(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  if (!u.has(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first))
    return;
  auto entry =
      u.record(u.entry(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first, u.number()));
  int64_t bag = u.number() - entry.first;
  pooled<D>(u, entry, u.load(entry.offsets + bag), u.load(entry.offsets + bag + 1)).write(u, entry.out + bag * D);
}

/// A bag or segment [begin, end) in a chunk [from, to) of it: where its sum there goes; null: it lies in the chunk.
template <int D> float *pieceOf(float *partial, int64_t chunk, int64_t begin, int64_t end, int64_t from, int64_t to) {
  return begin < from ? partial + chunk * 2 * D : end > to ? partial + (chunk * 2 + 1) * D : nullptr;
}
/// The pieces of [begin, end) added, where it is split; positions and chunks count from 0.
template <int D> Row<D> pieces(const Unit &u, const float *partial, int64_t chunk, int64_t begin, int64_t end) {
  int64_t first = begin / chunk, last = (end - 1) / chunk;
  Row<D> sum;
  sum.add(u, partial + (first * 2 + 1) * D);
  for (int64_t c = first + 1; c <= last; ++c)
    sum.add(u, partial + c * 2 * D);
  return sum;
}

template <int D, int C> void lookupChunk(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  int64_t chunk = u.number();
  if (!u.has(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first_chunk))
    return;
  auto *at = u.entry(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first_chunk, chunk);
  auto entry = u.record(at);
  int64_t bags = u.record(at + 1).first - entry.first, begin = u.load(entry.offsets),
          end = u.load(entry.offsets + bags);
  int64_t from = begin + (chunk - entry.first_chunk) * C, to = std::min(from + C, end);
  for (int64_t bag = 0; bag < bags; ++bag) {
    int64_t low = u.load(entry.offsets + bag), high = u.load(entry.offsets + bag + 1);
    if (std::max(low, from) >= std::min(high, to))
      continue;
    float *piece = pieceOf<D>(u.pointer<float>(2), chunk, low, high, from, to);
    pooled<D>(u, entry, std::max(low, from), std::min(high, to)).write(u, piece ? piece : entry.out + bag * D);
  }
}

template <int D, int C> void lookupThen(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  if (!u.has(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first))
    return;
  auto entry =
      u.record(u.entry(u.pointer<const SparsecLookupEntry>(0), u.integer(1), &SparsecLookupEntry::first, u.number()));
  int64_t bag = u.number() - entry.first, base = u.load(entry.offsets);
  int64_t low = u.load(entry.offsets + bag) - base, high = u.load(entry.offsets + bag + 1) - base;
  if (low == high)
    Row<D>().write(u, entry.out + bag * D);
  else if (low / C != (high - 1) / C)
    pieces<D>(u, u.pointer<const float>(2) + entry.first_chunk * 2 * D, C, low, high).write(u, entry.out + bag * D);
}

//===- combined and copied rows ----------------------------------------------------------------------------------===//

template <int D> void combine(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  if (!u.has(u.pointer<const SparsecCombineEntry>(0), u.integer(1), &SparsecCombineEntry::first))
    return;
  auto entry =
      u.record(u.entry(u.pointer<const SparsecCombineEntry>(0), u.integer(1), &SparsecCombineEntry::first, u.number()));
  int64_t bag = u.number() - entry.first;
  Row<D> sum;
  for (int64_t s = 0; s < entry.sources; ++s)
    sum.add(u, u.load(entry.source + s) + bag * D);
  sum.write(u, entry.out + bag * entry.stride);
}

inline void copyRows(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  if (!u.has(u.pointer<const SparsecCopyEntry>(0), u.integer(1), &SparsecCopyEntry::first))
    return;
  auto entry =
      u.record(u.entry(u.pointer<const SparsecCopyEntry>(0), u.integer(1), &SparsecCopyEntry::first, u.number()));
  int64_t row = (u.number() - entry.first) / entry.dim, column = (u.number() - entry.first) % entry.dim;
  u.store(entry.to + row * entry.to_stride + column, u.load(entry.from + row * entry.from_stride + column));
}

//===- row gradients ---------------------------------------------------------------------------------------------===//

inline void rowKeys(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  int64_t k = u.number();
  if (k >= u.integer(2))
    return;
  u.store(u.pointer<uint32_t>(4) + k, uint32_t(k));
  auto *list = u.pointer<const SparsecOccurrences>(0);
  if (!u.has(list, u.integer(1), &SparsecOccurrences::first))
    return u.store(u.pointer<uint64_t>(3) + k, uint64_t(u.record(list + u.integer(1)).key));
  auto entry = u.record(u.entry(list, u.integer(1), &SparsecOccurrences::first, k));
  int64_t p = k - entry.first, bag = p;
  if (entry.offsets) {
    p += u.load(entry.offsets);
    int64_t high = entry.bags - 1;
    for (bag = 0; bag < high;) { // the last that begins at or before p
      int64_t middle = (bag + high + 1) / 2;
      if (u.load(entry.offsets + middle) <= p)
        bag = middle;
      else
        high = middle - 1;
    }
  }
  u.store(u.pointer<uint64_t>(3) + k, uint64_t(entry.key + u.load(entry.values + p) - entry.row0));
  u.store(u.pointer<const float *>(5) + k, entry.gradient + bag * entry.dim);
  u.store(u.pointer<float>(6) + k, entry.weights ? u.load(entry.weights + p) : 1.0f);
}

template <int D> Row<D> summed(const Unit &u, const SparsecSorted &sorted, int64_t begin, int64_t end) {
  Row<D> sum;
  for (int64_t k = begin; k < end; ++k) {
    uint32_t place = u.load(sorted.order + k);
    sum.add(u, u.load(sorted.gradient + place), u.load(sorted.weight + place));
  }
  return sum;
}
inline int64_t segmentEnd(const Unit &u, const SparsecSorted &sorted, int64_t k, int64_t to) {
  int64_t end = k + 1;
  while (end < to && u.load(sorted.keys + end) == u.load(sorted.keys + k))
    ++end;
  return end;
}
/// A whole segment that begins at k.
template <int D, int C>
Row<D> segment(const Unit &u, const SparsecSorted &sorted, int64_t from, int64_t to, const float *partial, int64_t k) {
  int64_t end = segmentEnd(u, sorted, k, to);
  return (k - from) / C == (end - 1 - from) / C ? summed<D>(u, sorted, k, end)
                                                : pieces<D>(u, partial, C, k - from, end - from);
}

template <int D, int C> void segmentPieces(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  auto sorted = u.record(u.pointer<const SparsecSorted>(0));
  int64_t first = sorted.from, last = sorted.to, chunk = u.number();
  int64_t from = first + chunk * C, to = std::min(from + C, last);
  for (int64_t k = from; k < to;) {
    int64_t begin = k, end = segmentEnd(u, sorted, k, last);
    while (begin > first && u.load(sorted.keys + begin - 1) == u.load(sorted.keys + k))
      --begin;
    if (float *piece = pieceOf<D>(u.pointer<float>(1), chunk, begin, end, from, to))
      summed<D>(u, sorted, k, std::min(end, to)).write(u, piece);
    k = end;
  }
}

/// Calls body(entry, sum) for the segment that begins at this unit's position.
template <typename Entry, int D, int C, typename Body> void forSegment(const Unit &u, Body &&body) {
  auto sorted = u.record(u.pointer<const SparsecSorted>(2));
  int64_t from = sorted.from, to = sorted.to, k = from + u.number();
  if (k >= to || (k > from && u.load(sorted.keys + k) == u.load(sorted.keys + k - 1)))
    return;
  auto key = int64_t(u.load(sorted.keys + k));
  auto entry = u.record(u.entry(u.pointer<const Entry>(0), u.integer(1), &Entry::key, key));
  body(entry, key - entry.key, k, segment<D, C>(u, sorted, from, to, u.pointer<const float>(3), k));
}

template <int D, int C> void sumSegments(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  forSegment<SparsecSumEntry, D, C>(u, [&](const SparsecSumEntry &entry, int64_t row, int64_t k, const Row<D> &sum) {
    int64_t place = int64_t(u.load(u.pointer<const uint32_t>(4) + k)) - entry.first_run;
    u.store(entry.rows + place, entry.row0 + row);
    sum.write(u, entry.out + place * D);
  });
}

template <int D, int C> void sgd(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  auto hyper = u.record(u.pointer<const SparsecHyper>(4));
  forSegment<SparsecUpdateEntry, D, C>(u, [&](const SparsecUpdateEntry &entry, int64_t row, int64_t, const Row<D> &g) {
    float *weight = entry.field[0] + row * D;
    for (int d = 0; d < D; ++d)
      u.store(weight + d, u.load(weight + d) - hyper.lr * hyper.scale * g.value[d]);
  });
}

/// As the rowWiseAdagrad of the host's tests.
template <int D, int C> void adagrad(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  auto [lr, scale, step] = u.record(u.pointer<const SparsecHyper>(4));
  forSegment<SparsecUpdateEntry, D, C>(
      u, [&, lr = lr, scale = scale](const SparsecUpdateEntry &entry, int64_t row, int64_t, const Row<D> &g) {
        float mean = 0, *weight = entry.field[0] + row * D;
        for (int d = 0; d < D; ++d)
          mean += scale * g.value[d] * (scale * g.value[d]) / D;
        float v = u.load(entry.field[1] + row) + mean;
        u.store(entry.field[1] + row, v);
        for (int d = 0; d < D; ++d)
          u.store(weight + d, u.load(weight + d) - lr * (scale * g.value[d]) / (std::sqrt(v) + 1e-4f));
      });
}

template <int D, int C> void sweep(SparsecThread *thread, const int64_t *arguments) {
  Unit u(thread, arguments);
  auto sorted = u.record(u.pointer<const SparsecSorted>(2));
  int64_t from = sorted.from, to = sorted.to, n = u.integer(1);
  auto *list = u.pointer<const SparsecUpdateEntry>(0);
  if (u.number() >= u.record(list + n).first)
    return;
  auto entry = u.record(u.entry(list, n, &SparsecUpdateEntry::first, u.number()));
  int64_t row = u.number() - entry.first, k = from;
  while (k < to && int64_t(u.load(sorted.keys + k)) < entry.key + row)
    ++k;
  Row<D> g;
  if (k < to && int64_t(u.load(sorted.keys + k)) == entry.key + row)
    g = segment<D, C>(u, sorted, from, to, u.pointer<const float>(3), k);
  auto hyper = u.record(u.pointer<const SparsecHyper>(4));
  float *weight = entry.field[0] + row * D;
  for (int d = 0; d < D; ++d)
    u.store(weight + d, u.load(weight + d) - hyper.lr * (hyper.scale * g.value[d] + u.load(weight + d) / 8));
}

} // namespace sparsec::test::device
