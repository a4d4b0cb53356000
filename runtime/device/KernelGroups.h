// Items of one call that the same kernel computes: a fused launch each.
#pragma once
#include "sparsec/Context.h"
#include <algorithm>

namespace sparsec {

struct KernelGroup {
  const SparsecKernel *kernel;
  std::span<const int64_t> members; // numbers of items, ascending
  int64_t before;                   // members of the groups before it
};

/// Groups in the order of their first items; kernelOf(i) for items [0, n).
template <typename KernelOf> std::vector<KernelGroup> groupByKernel(Context &context, int64_t n, KernelOf &&kernelOf) {
  std::vector<KernelGroup> groups;
  int64_t *members = context.scratch<int64_t>(n), *next = members;
  for (int64_t i = 0; i < n; ++i) {
    const SparsecKernel *kernel = kernelOf(i);
    if (std::any_of(groups.begin(), groups.end(), [=](const KernelGroup &group) { return group.kernel == kernel; }))
      continue;
    int64_t *first = next;
    for (int64_t j = i; j < n; ++j)
      if (kernelOf(j) == kernel)
        *next++ = j;
    groups.push_back({kernel, {first, next}, first - members});
  }
  return groups;
}

} // namespace sparsec
