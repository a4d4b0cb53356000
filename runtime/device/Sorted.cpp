// Occurrences of rows: their keys, one sort for all updates of a call, and the sums of segments that are split.
#include "context/Division.h"
#include "device/DeviceEngine.h"
#include "device/Rounded.h"
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

/// Slots behind the last occurrence are sorted, too: with the highest key of so many bits they stay at the end.
Result<SparsecSorted> DeviceEngine::sort(const RowSources &sources) {
  if (Status status = checkRows(sources); !status)
    return status;
  constexpr int64_t most = int64_t(7) << 29; // rounded up, too, below 2^32
  int64_t total = sources.total, n = int64_t(sources.list.size());
  if (total > most)
    return Status::error(
        fmt::format("rank {} sorts {} ids in one step: expected at most {}", context.rank(), total, most));
  if (total == 0)
    return SparsecSorted{};
  int bits = std::bit_width(sources.maxKey());
  auto list = staging.array<SparsecOccurrences>(n + 1);
  if (Status status = listOccurrences(sources, list.host); !status)
    return status;
  list.host[n] = {total, 0, nullptr, nullptr, nullptr, nullptr, 0, 0, int64_t((uint64_t(1) << bits) - 1)};
  int64_t slots = roundedSize(total);
  auto *keys = space<uint64_t>(slots), *otherKeys = space<uint64_t>(slots);
  auto *order = space<uint32_t>(slots), *otherOrder = space<uint32_t>(slots);
  auto *gradient = space<const float *>(slots);
  float *weight = space<float>(slots);
  auto *scratch = space<std::byte>(device->sortScratch(slots));
  auto kernel = general(SPARSEC_KERNEL_ROW_KEYS);
  if (!kernel)
    return kernel.status();
  if (Status status = launchUnits(**kernel, slots,
                                  {word(list.device), n, slots, word(keys), word(order), word(gradient), word(weight)});
      !status)
    return status;
  auto sorted = device->sortPairs(DeviceStream::compute, keys, order, slots, bits, otherKeys, otherOrder, scratch);
  if (!sorted)
    return sorted.status();
  return SparsecSorted{sorted->keys, sorted->values, gradient, weight, 0, total};
}

Status DeviceEngine::listOccurrences(const RowSources &sources, SparsecOccurrences *list) {
  for (size_t s = 0; s < sources.list.size(); ++s) {
    auto [piece, update, first] = sources.list[s];
    list[s] = {first,
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
    list[s].offsets = (*ids)->offsets + piece->bag0;
    list[s].values = (*ids)->values;
    list[s].weights = (*ids)->weights;
  }
  return {};
}

Result<DeviceEngine::ClassPieces> DeviceEngine::sumPieces(const SparsecKernel &kernel, SparsecSorted sorted,
                                                          int64_t from, int64_t to, int64_t dim) {
  if (kernel.chunk < 1 || !kernel.then)
    return Status::error(fmt::format("kernel `{}` does not split segments", kernel.name));
  auto record = staging.array<SparsecSorted>(1);
  *record.host = sorted;
  record.host->from = from;
  record.host->to = to;
  int64_t chunks = (roundedSize(to - from) + kernel.chunk - 1) / kernel.chunk;
  float *partial = space<float>(chunks * 2 * dim);
  if (Status status = launchUnits(kernel, chunks, {word(record.device), word(partial)}); !status)
    return status;
  return ClassPieces{record.device, partial};
}

} // namespace sparsec
