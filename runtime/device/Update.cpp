// Optimizer steps: one sort for all tables, then a class of rows after the other.
#include "device/DeviceEngine.h"
#include "device/Rounded.h"

namespace sparsec {

Status DeviceEngine::update(const SparsecUpdate *updates, int64_t n, float lr, float scale, int64_t step) {
  auto sorted = sortUpdates(updates, n);
  if (!sorted)
    return sorted.status();
  auto hyper = staging.array<SparsecHyper>(1);
  *hyper.host = {lr, scale, step};
  for (const KernelGroup &group : sorted->groups)
    if (Status status = stepClass(group, *sorted, hyper.device); !status)
      return status;
  return {};
}

Result<DeviceEngine::SortedUpdates> DeviceEngine::sortUpdates(const SparsecUpdate *updates, int64_t n) {
  SortedUpdates result;
  result.groups = groupByKernel(context, n, [=](int64_t u) { return updates[u].kernel.device; });
  result.updates = byGroup(result.groups, updates, n);
  auto sources = RowSources::create(context, result.updates.data(), n);
  if (!sources)
    return sources.status();
  auto occurrences = sort(*sources);
  if (!occurrences)
    return occurrences.status();
  result.sources = std::move(*sources);
  result.occurrences = *occurrences;
  return result;
}

std::span<const SparsecUpdate> DeviceEngine::byGroup(std::span<const KernelGroup> groups, const SparsecUpdate *updates,
                                                     int64_t n) {
  SparsecUpdate *inOrder = context.scratch<SparsecUpdate>(n), *next = inOrder;
  for (const KernelGroup &group : groups)
    for (int64_t u : group.members)
      *next++ = updates[u];
  return {inOrder, size_t(n)};
}

Status DeviceEngine::stepClass(const KernelGroup &group, const SortedUpdates &sorted, const SparsecHyper *hyper) {
  const auto &[groups, updates, sources, occurrences] = sorted;
  int64_t first = group.before, last = first + int64_t(group.members.size());
  auto list = staging.array<SparsecUpdateEntry>(last - first + 1);
  int64_t n = 0, rows = 0, dim = 0;
  for (int64_t u = first; u < last; ++u) {
    const SparsecPart *part = mirror.part(updates[u].table, updates[u].part);
    if (!part)
      continue;
    dim = part->dim;
    list.host[n] = {rows, int64_t(sources.key(u)), part->rows, {}};
    std::copy_n(part->field, SPARSEC_MAX_FIELDS, list.host[n++].field);
    rows += part->rows;
  }
  list.host[n] = {rows, int64_t(sources.key(last)), 0, {}};
  int64_t from = sources.begin(first), to = sources.begin(last);
  int64_t units = updates[first].sweep ? rows : to - from;
  if (units == 0)
    return {};
  auto pieces = sumPieces(*group.kernel, occurrences, from, to, dim);
  if (!pieces)
    return pieces.status();
  return launchUnits(*group.kernel->then, updates[first].sweep ? rows : roundedSize(units),
                     {word(list.device), n, word(pieces->record), word(pieces->partial), word(hyper)});
}

} // namespace sparsec
