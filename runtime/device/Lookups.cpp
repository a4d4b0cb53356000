// Fused lookups: a launch for each class, two where long bags are split.
#include "context/Division.h"
#include "device/DeviceEngine.h"
#include "device/Rounded.h"
#include <atomic>

namespace sparsec {

Status DeviceEngine::lookupLocal(const SparsecLocalItem *items, int64_t n) {
  auto lookups = localLookups(context, items, n);
  return lookups ? lookup(*lookups) : lookups.status();
}

Status DeviceEngine::lookupServed(const Owners &owners, const SparsecJagged &received, float *out) {
  auto lookups = servedLookups(context, owners, received, out);
  return lookups ? lookup(*lookups) : lookups.status();
}

Status DeviceEngine::lookup(std::span<const PartLookup> lookups) {
  Division division;
  for (size_t i = 0; i < lookups.size(); ++i)
    division.add(int64_t(i), lookups[i].bags, lookups[i].ids->offsets + lookups[i].first, 1);
  std::atomic<int64_t> bad = -1;
  division.run(context.pool(), [&](int64_t i, int64_t begin, int64_t end) {
    if (!inside(lookups[i], begin, end))
      bad = i;
  });
  if (bad >= 0)
    return foreignRows(context, lookups[bad]);
  for (const KernelGroup &group :
       groupByKernel(context, int64_t(lookups.size()), [&](int64_t i) { return lookups[i].kernel.device; }))
    if (Status status = lookupClass(group, lookups); !status)
      return status;
  return {};
}

Status DeviceEngine::lookupClass(const KernelGroup &group, std::span<const PartLookup> lookups) {
  const SparsecKernel &kernel = *group.kernel;
  auto n = int64_t(group.members.size());
  auto list = staging.array<SparsecLookupEntry>(n + 1);
  int64_t bags = 0, chunks = 0, dim = lookups[group.members[0]].held->dim;
  for (int64_t i = 0; i < n; ++i) {
    const PartLookup &lookup = lookups[group.members[i]];
    auto ids = onDevice(*lookup.ids);
    if (!ids)
      return ids.status();
    const SparsecPart &there = *mirror.part(lookup.table, lookup.part);
    list.host[i] = {bags,           chunks,          (*ids)->offsets + lookup.first,
                    (*ids)->values, (*ids)->weights, there.field[0],
                    there.row0,     lookup.out};
    bags += lookup.bags;
    const int64_t *offsets = lookup.ids->offsets + lookup.first;
    if (kernel.chunk)
      chunks += (offsets[lookup.bags] - offsets[0] + kernel.chunk - 1) / kernel.chunk;
  }
  list.host[n] = {bags, chunks, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
  if (!kernel.chunk)
    return launchUnits(kernel, bags, {word(list.device), n});
  chunks = roundedSize(chunks);
  float *partial = space<float>(chunks * 2 * dim);
  if (Status status = launchUnits(kernel, chunks, {word(list.device), n, word(partial)}); !status)
    return status;
  return launchUnits(*kernel.then, bags, {word(list.device), n, word(partial)});
}

} // namespace sparsec
