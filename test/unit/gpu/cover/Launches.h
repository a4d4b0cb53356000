// How the kernels of fused launches are started (device.h), for all families.
#pragma once
#include "test/unit/gpu/GpuRunner.h"

namespace sparsec::codegen::device::cover {

/// A kernel over a list of `n` entries with `units` units of work in all.
template <typename Entry>
Status launchList(TestDevice &device, const SparsecKernel &kernel, int64_t units, const Entry *list, int64_t n) {
  return device.run(kernel, units, list, n);
}

/// Split work: pieces of `chunks` chunks, and then the whole of `units` units.
inline Status launchSplitLookup(TestDevice &device, const SparsecKernel &kernel, int64_t chunks, int64_t units,
                                const SparsecLookupEntry *list, int64_t n, float *partial) {
  Status status = device.run(kernel, chunks, list, n, partial);
  return status ? device.run(*kernel.then, units, list, n, partial) : status;
}

/// Steps and sums: `more` are the arguments behind the pieces.
template <typename Entry, typename... More>
Status launchSegments(TestDevice &device, const SparsecKernel &kernel, const SparsecSorted &sorted, int64_t units,
                      const Entry *list, int64_t n, float *partial, More... more) {
  SparsecSorted *there = device.put(std::vector<SparsecSorted>{sorted});
  int64_t chunks = (sorted.to - sorted.from + kernel.chunk - 1) / kernel.chunk;
  Status status = device.run(kernel, chunks, there, partial);
  return status ? device.run(*kernel.then, units, list, n, there, partial, more...) : status;
}
template <typename Entry>
Status launchSteps(TestDevice &device, const SparsecKernel &kernel, const SparsecSorted &sorted, int64_t units,
                   const Entry *list, int64_t n, float *partial, float lr, float scale, int64_t step) {
  return launchSegments(device, kernel, sorted, units, list, n, partial,
                        device.put(std::vector<SparsecHyper>{{lr, scale, step}}));
}

/// Slots behind the last occurrence that keys are made for.
constexpr int64_t slotsBehind = 3;

} // namespace sparsec::codegen::device::cover
