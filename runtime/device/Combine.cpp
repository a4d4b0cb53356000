// Rows of several sources added, a launch for each class; and their adjoints, which are copies: one launch.
#include "context/RowPlaces.h"
#include "device/DeviceEngine.h"

namespace sparsec {

Status DeviceEngine::combine(const Owners &owners, const SparsecJagged &routed, const float *rows, float *const *out,
                             const int64_t *dim) {
  return addSources(combineSums(context, owners, routed, rows, out, dim));
}

Status DeviceEngine::sumInNode(const Owners &owners, const SparsecJagged &received, const float *rows, float *out) {
  return addSources(nodeSums(context, owners, received, rows, out));
}

Status DeviceEngine::addSources(const SourceSums &all) {
  auto sources = staging.array<const float *>(int64_t(all.sources.size()));
  std::copy(all.sources.begin(), all.sources.end(), sources.host);
  for (const KernelGroup &group :
       groupByKernel(context, int64_t(all.sums.size()), [&](int64_t i) { return all.sums[i].kernel.device; })) {
    auto n = int64_t(group.members.size());
    auto list = staging.array<SparsecCombineEntry>(n + 1);
    int64_t bags = 0;
    for (int64_t i = 0; i < n; ++i) {
      const SourceSum &sum = all.sums[group.members[i]];
      const SparsecCombine &argument = sum.argument;
      list.host[i] = {bags, sources.device + (argument.source - all.sources.data()), argument.sources, argument.stride,
                      argument.out};
      bags += sum.bags;
    }
    list.host[n] = {bags, nullptr, 0, 0, nullptr};
    if (Status status = launchUnits(*group.kernel, bags, {word(list.device), n}); !status)
      return status;
  }
  return {};
}

Status DeviceEngine::copyRows(Staged<SparsecCopyEntry> list, int64_t n, int64_t floats) {
  list.host[n] = {floats, nullptr, nullptr, 0, 0, 0};
  auto kernel = general(SPARSEC_KERNEL_COPY_ROWS);
  return kernel ? launchUnits(**kernel, floats, {word(list.device), n}) : kernel.status();
}

Status DeviceEngine::spread(const Owners &owners, const SparsecJagged &routed, const float *const *gradient,
                            const int64_t *dim, float *rows) {
  const int64_t *place = returnedPlaces(context, owners, routed);
  auto list = staging.array<SparsecCopyEntry>(owners.pairs() + 1);
  int64_t n = 0, floats = 0;
  for (size_t i = 0; i < owners.all().size(); ++i) {
    const SparsecItem &item = owners.all()[i];
    int64_t bags = owners.bags(routed, int64_t(i));
    if (bags == 0)
      continue;
    for (int64_t o = 0; o < owners.sources(int64_t(i)); ++o) {
      list.host[n++] = {floats,
                        gradient[item.lookup] + item.col0,
                        rows + place[owners.pair(int64_t(i), o)],
                        item.dim,
                        dim[item.lookup],
                        item.dim};
      floats += bags * item.dim;
    }
  }
  return copyRows(list, n, floats);
}

Status DeviceEngine::copyInNode(const float *gradient, int64_t floats, float *rows) {
  int64_t shards = context.program().mesh.shards;
  auto list = staging.array<SparsecCopyEntry>(shards + 1);
  for (int64_t owner = 0; owner < shards; ++owner)
    list.host[owner] = {owner * floats, gradient, rows + owner * floats, floats, floats, floats};
  return copyRows(list, shards, shards * floats);
}

} // namespace sparsec
