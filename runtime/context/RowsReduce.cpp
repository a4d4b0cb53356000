// Replicas exchange their summed row gradients: what each rank has summed, for all updates, in one all-gather.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "ReplicaMessage.h"

namespace sparsec {

/// Writes this rank's rows and sums into its place of the message.
static void writeSums(Context &context, const RowSegments &segments, const SparsecUpdate *updates, int64_t n,
                      const ReplicaMessage &message, std::byte *mine) {
  int64_t **rows = context.scratch<int64_t *>(n);
  Division division;
  for (int64_t u = 0; u < n; ++u) {
    rows[u] = reinterpret_cast<int64_t *>(mine + message.rowsAt(message.rank(), u));
    segments[u].out = reinterpret_cast<float *>(mine + message.sumsAt(message.rank(), u));
    if (const SparsecPart *part = segments.part(u))
      division.add(u, segments[u].segments, segments[u].start, part->dim);
  }
  division.run(context.pool(), [&](int64_t u, int64_t low, int64_t high) {
    for (int64_t s = low; s < high; ++s)
      rows[u][s] = segments.part(u)->row0 + segments[u].rows[s];
    updates[u].kernel.host(&segments[u], low, high);
  });
}

Status HostEngine::rowsReduce(int32_t axes, const SparsecUpdate *updates, int64_t n, SparsecRows **result) {
  Result<RowSegments> segments = RowSegments::create(context, updates, n);
  if (!segments)
    return segments.status();
  int64_t *counts = context.scratch<int64_t>(n);
  for (int64_t u = 0; u < n; ++u)
    counts[u] = (*segments)[u].segments;
  Result<ReplicaMessage> message = ReplicaMessage::create(context, axes, updates, n, counts);
  if (!message)
    return message.status();
  std::byte *all = context.scratch<std::byte>(message->size()), *mine = all + message->mine();
  writeSums(context, *segments, updates, n, *message, mine);
  if (Status status = context.communicator(axes).allGatherV(mine, all, message->bytes()); !status)
    return status;
  message->list(context, updates, all, result);
  return {};
}

} // namespace sparsec

extern "C" int32_t sparsec_rows_reduce(SparsecContext *handle, int32_t axes, const SparsecUpdate *updates, int64_t n,
                                       SparsecRows **result) {
  return sparsec::guarded(
      handle, [&](sparsec::Context &context) { return context.engine().rowsReduce(axes, updates, n, result); });
}
