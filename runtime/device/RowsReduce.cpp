// Replicas exchange their summed row gradients. How many rows each update touched decides where sums go, so the host
// waits for these counts.
#include "context/ReplicaMessage.h"
#include "device/DeviceEngine.h"
#include "device/Rounded.h"

namespace sparsec {

Status DeviceEngine::rowsReduce(int32_t mask, const SparsecUpdate *updates, int64_t n, SparsecRows **result) {
  auto sortedUpdates = sortUpdates(updates, n);
  if (!sortedUpdates)
    return sortedUpdates.status();
  const auto &[groups, inOrder, sources, sorted] = *sortedUpdates;
  uint32_t *run = space<uint32_t>(roundedSize(sources.total));
  auto counts = countRuns(sources, sorted, run);
  if (!counts)
    return counts.status();
  int64_t *countOf = context.scratch<int64_t>(n); // by update as given
  for (const KernelGroup &group : groups)
    for (size_t i = 0; i < group.members.size(); ++i)
      countOf[group.members[i]] = (*counts)[group.before + int64_t(i)];
  auto message = ReplicaMessage::create(context, mask, updates, n, countOf);
  if (!message)
    return message.status();
  std::byte *all = space<std::byte>(message->size()), *mine = all + message->mine();
  int64_t runsBefore = 0;
  for (const KernelGroup &group : groups)
    if (Status status = sumClass(group, sources, sorted, run, *message, mine, runsBefore); !status)
      return status;
  auto gathered = beside(
      [&] { return device->allGatherV(DeviceStream::communication, axes.get(mask), mine, all, message->bytes()); });
  if (!gathered)
    return gathered.status();
  message->list(context, updates, all, result);
  return gathered->wait();
}

/// Numbers the runs of all updates; how many each has. Ranks wait here whether they have rows or not: see
/// Device::synchronize.
Result<const int64_t *> DeviceEngine::countRuns(const RowSources &sources, const SparsecSorted &sorted, uint32_t *run) {
  auto lastRuns = sources.total ? fetchLastRuns(sources, sorted, run) : Result<const float *>(nullptr);
  if (!lastRuns)
    return lastRuns.status();
  if (Status status = device->synchronize(); !status)
    return status;
  auto n = int64_t(sources.parts.size()), before = int64_t(0);
  int64_t *counts = context.scratch<int64_t>(n);
  const float *next = *lastRuns;
  for (int64_t u = 0; u < n; ++u) {
    bool any = sources.begin(u + 1) > sources.begin(u);
    int64_t runs = any ? int64_t(std::bit_cast<uint32_t>(*next++)) + 1 : before;
    counts[u] = runs - before;
    before = runs;
  }
  return counts;
}

/// The number of the last run of each update that has any, where it will be on the host: words that a copy of floats
/// moves as they are.
Result<const float *> DeviceEngine::fetchLastRuns(const RowSources &sources, const SparsecSorted &sorted,
                                                  uint32_t *run) {
  auto n = int64_t(sources.parts.size());
  int64_t slots = roundedSize(sources.total);
  auto *scratch = space<std::byte>(device->runsScratch(slots));
  if (Status s = device->runs(DeviceStream::compute, sorted.keys, slots, run, scratch); !s)
    return s;
  auto list = staging.array<SparsecCopyEntry>(n + 1);
  float *lastRuns = space<float>(n);
  int64_t copies = 0;
  for (int64_t u = 0; u < n; ++u)
    if (int64_t end = sources.begin(u + 1); end > sources.begin(u)) {
      list.host[copies] = {copies, reinterpret_cast<float *>(run + end - 1), lastRuns + copies, 1, 1, 1};
      copies += 1;
    }
  if (Status status = copyRows(list, copies, copies); !status)
    return status;
  return fetch(lastRuns, copies);
}

/// Rows and sums of one class into this rank's part of the message. `runsBefore` counts the runs of the classes before.
Status DeviceEngine::sumClass(const KernelGroup &group, const RowSources &sources, const SparsecSorted &sorted,
                              const uint32_t *run, const ReplicaMessage &message, std::byte *mine,
                              int64_t &runsBefore) {
  auto n = int64_t(group.members.size());
  int64_t from = sources.begin(group.before), to = sources.begin(group.before + n), dim = 0;
  if (from == to)
    return {};
  auto list = staging.array<SparsecSumEntry>(n + 1);
  for (int64_t i = 0; i < n; ++i) {
    int64_t u = group.members[i], rank = message.rank();
    const SparsecPart *part = sources.parts[group.before + i];
    list.host[i] = {int64_t(sources.key(group.before + i)), part ? part->row0 : 0, runsBefore,
                    reinterpret_cast<int64_t *>(mine + message.rowsAt(rank, u)),
                    reinterpret_cast<float *>(mine + message.sumsAt(rank, u))};
    runsBefore += message.count(rank, u);
    if (part)
      dim = part->dim;
  }
  list.host[n] = {int64_t(sources.key(group.before + n)), 0, runsBefore, nullptr, nullptr};
  auto pieces = sumPieces(*group.kernel, sorted, from, to, dim);
  if (!pieces)
    return pieces.status();
  return launchUnits(*group.kernel->then, roundedSize(to - from),
                     {word(list.device), n, word(pieces->record), word(pieces->partial), word(run)});
}

} // namespace sparsec
