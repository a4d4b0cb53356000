// Occurrences of rows: their keys, one sort for all updates of a call, and the sums of segments that are split.
#include "context/Division.h"
#include "device/DeviceEngine.h"
#include <atomic>
#include <fmt/format.h>

namespace sparsec {

/// Rows that other replicas sent were checked there.
Status DeviceEngine::checkRows(const RowSources &sources) {
  Division division;
  for (size_t s = 0; s < sources.list.size(); ++s)
    if (sources.list[s].piece->ids)
      division.add(int64_t(s), sources.list[s].piece->bags, sources.list[s].piece->offsets(), 1);
  std::atomic<int64_t> bad = -1;
  division.run(context.pool(), [&](int64_t s, int64_t begin, int64_t end) {
    const RowsPiece &piece = *sources.list[s].piece;
    const SparsecPart &part = *sources.parts[sources.list[s].update];
    bool good = true;
    for (int64_t p = piece.offsets()[begin]; p < piece.offsets()[end]; ++p)
      good &= uint64_t(piece.values()[p] - part.row0) < uint64_t(part.rows);
    if (!good)
      bad = s;
  });
  return bad < 0 ? Status() : sources.foreignRow(sources.list[bad].update);
}

Result<DeviceEngine::Sorted> DeviceEngine::sort(const RowSources &sources) {
  if (Status status = checkRows(sources); !status)
    return status;
  int64_t total = sources.total, n = int64_t(sources.list.size());
  if (total > int64_t(UINT32_MAX))
    return Status::error(
        fmt::format("rank {} sorts {} ids in one step: expected fewer than 2^32", context.rank(), total));
  if (total == 0)
    return recordOf({});
  auto list = staging.array<SparsecOccurrences>(n + 1);
  for (int64_t s = 0; s < n; ++s) {
    auto [piece, update, first] = sources.list[s];
    list.host[s] = {first,
                    piece->bags,
                    nullptr,
                    piece->reduced,
                    nullptr,
                    piece->gradient,
                    piece->dim,
                    sources.parts[update]->row0,
                    int64_t(sources.key(update))};
    if (!piece->ids)
      continue;
    auto ids = onDevice(*piece->ids);
    if (!ids)
      return ids.status();
    list.host[s].offsets = (*ids)->offsets + piece->bag0;
    list.host[s].values = (*ids)->values;
    list.host[s].weights = (*ids)->weights;
  }
  list.host[n] = {total, 0, nullptr, nullptr, nullptr, nullptr, 0, 0, 0};
  auto *keys = space<uint64_t>(total), *otherKeys = space<uint64_t>(total);
  auto *order = space<uint32_t>(total), *otherOrder = space<uint32_t>(total);
  auto *gradient = space<const float *>(total);
  float *weight = space<float>(total);
  auto *scratch = space<std::byte>(device->sortScratch(total));
  auto kernel = general(SPARSEC_KERNEL_ROW_KEYS);
  if (!kernel)
    return kernel.status();
  if (Status status = launchUnits(**kernel, total,
                                  {word(list.device), n, total, word(keys), word(order), word(gradient), word(weight)});
      !status)
    return status;
  auto sorted = device->sortPairs(DeviceStream::compute, keys, order, total, std::bit_width(sources.maxKey()),
                                  otherKeys, otherOrder, scratch);
  if (!sorted)
    return sorted.status();
  return recordOf({sorted->keys, sorted->values, gradient, weight});
}

DeviceEngine::Sorted DeviceEngine::recordOf(const SparsecSorted &sorted) {
  auto record = staging.array<SparsecSorted>(1);
  *record.host = sorted;
  return {record.device, sorted.keys};
}

Result<float *> DeviceEngine::sumPieces(const SparsecKernel &kernel, const Sorted &sorted, int64_t from, int64_t to,
                                        int64_t dim) {
  if (kernel.chunk < 1 || !kernel.then)
    return Status::error(fmt::format("kernel `{}` does not split segments", kernel.name));
  int64_t chunks = (to - from + kernel.chunk - 1) / kernel.chunk;
  float *partial = space<float>(chunks * 2 * dim);
  if (Status status = launchUnits(kernel, chunks, {word(sorted.record), from, to, word(partial)}); !status)
    return status;
  return partial;
}

} // namespace sparsec
