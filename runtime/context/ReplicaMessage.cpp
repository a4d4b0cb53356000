#include "ReplicaMessage.h"

namespace sparsec {

Result<ReplicaMessage> ReplicaMessage::create(Context &context, int32_t axes, const SparsecUpdate *updates, int64_t n,
                                              const int64_t *counts) {
  Communicator &ranks = context.communicator(axes);
  ReplicaMessage message;
  message.n = n;
  message.ranks = ranks.size();
  message.me = ranks.rank();
  message.dims = context.scratch<int64_t>(n);
  for (int64_t u = 0; u < n; ++u) {
    const SparsecPart *part = context.tables().part(updates[u].table, updates[u].part);
    message.dims[u] = part ? part->dim : 0;
  }
  message.counts = context.scratch<int64_t>(n * ranks.size());
  if (Status status = ranks.allGather(counts, message.counts, n * 8); !status)
    return status;
  message.rankBytes = context.scratch<int64_t>(ranks.size());
  message.begin = context.scratch<int64_t>(ranks.size() + 1);
  message.places = context.scratch<int64_t>(ranks.size() * (n + 1));
  message.begin[0] = 0;
  for (int64_t r = 0; r < ranks.size(); ++r) {
    int64_t *place = message.places + r * (n + 1);
    place[0] = 0;
    for (int64_t u = 0; u < n; ++u)
      place[u + 1] = message.sumsAt(r, u) + padded(message.count(r, u) * message.dims[u] * 4);
    message.rankBytes[r] = place[n];
    message.begin[r + 1] = message.begin[r] + place[n];
  }
  return message;
}

void ReplicaMessage::list(Context &context, const SparsecUpdate *updates, const std::byte *message,
                          SparsecRows **result) const {
  for (int64_t u = 0; u < n; ++u)
    result[u] = makeRows(context, updates[u].table, ranks);
  for (int64_t r = 0; r < ranks; ++r)
    for (int64_t u = 0; u < n; ++u) {
      const std::byte *from = message + begin[r];
      result[u]->piece[result[u]->pieces++] = {updates[u].part,
                                               count(r, u),
                                               dims[u],
                                               nullptr,
                                               0,
                                               reinterpret_cast<const int64_t *>(from + rowsAt(r, u)),
                                               reinterpret_cast<const float *>(from + sumsAt(r, u))};
    }
}

} // namespace sparsec
