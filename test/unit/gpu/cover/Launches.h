// How the kernels of fused launches are started (device.h), for all families.
#pragma once
#include "test/unit/gpu/GpuRunner.h"

namespace sparsec::codegen::device::cover {

/// A kernel over a list of `n` entries with `units` units of work in all.
template <typename Entry>
Status launchList(TestDevice &device, const SparsecKernel &kernel, int64_t units, const Entry *list, int64_t n) {
  return device.run(kernel, units, list, n, units);
}

/// Split work: pieces of `chunks` chunks, and then the whole of `units` units.
inline Status launchSplitLookup(TestDevice &device, const SparsecKernel &kernel, int64_t chunks, int64_t units,
                                const SparsecLookupEntry *list, int64_t n, float *partial) {
  Status status = device.run(kernel, chunks, list, n, chunks, partial);
  return status ? device.run(*kernel.then, units, list, n, units, partial) : status;
}

/// Sorted occurrences of a class, [from, to).
struct SortedThere {
  SparsecSorted arrays;
  int64_t from, to;
};

/// Steps and sums: `more` are the arguments behind the pieces.
template <typename Entry, typename... More>
Status launchSegments(TestDevice &device, const SparsecKernel &kernel, const SortedThere &sorted, int64_t units,
                      const Entry *list, int64_t n, float *partial, More... more) {
  SparsecSorted *there = device.put(std::vector<SparsecSorted>{sorted.arrays});
  int64_t chunks = (sorted.to - sorted.from + kernel.chunk - 1) / kernel.chunk;
  Status status = device.run(kernel, chunks, there, sorted.from, sorted.to, partial);
  return status ? device.run(*kernel.then, units, list, n, there, sorted.from, sorted.to, partial, more...) : status;
}
template <typename Entry>
Status launchSteps(TestDevice &device, const SparsecKernel &kernel, const SortedThere &sorted, int64_t units,
                   const Entry *list, int64_t n, float *partial, float lr, float scale, int64_t step) {
  return launchSegments(device, kernel, sorted, units, list, n, partial, lr, scale, step);
}

/// Slots behind the last occurrence that keys are made for.
constexpr int64_t slotsBehind = 0;

} // namespace sparsec::codegen::device::cover
