// Replicas exchange their summed row gradients: what each rank has summed, for all updates, in one all-gather.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "Rows.h"

namespace sparsec {

namespace {

int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

class RowsGather {
public:
  RowsGather(Context &context, int32_t axes, const SparsecUpdate *updates, int64_t n)
      : context(context), ranks(context.communicator(axes)), updates(updates), n(n) {}

  Status run(SparsecRows **result) {
    Result<RowSegments> created = RowSegments::create(context, updates, n);
    if (!created)
      return created.status();
    segments = *created;
    if (Status status = gatherCounts(); !status)
      return status;
    sum();
    if (Status status = ranks.allGatherV(message + begin[ranks.rank()], message, bytes); !status)
      return status;
    list(result);
    return {};
  }

private:
  int64_t dim(int64_t u) const { return segments.part(u) ? segments.part(u)->dim : 0; }
  int64_t count(int64_t rank, int64_t u) const { return counts[rank * n + u]; }
  int64_t idBytes(int64_t rank, int64_t u) const { return padded(count(rank, u) * 8); }
  int64_t rowBytes(int64_t rank, int64_t u) const { return padded(count(rank, u) * dim(u) * 4); }

  /// Message of a rank: for each update the global rows, then their sums.
  Status gatherCounts() {
    int64_t *mine = context.scratch<int64_t>(n);
    for (int64_t u = 0; u < n; ++u)
      mine[u] = segments[u].segments;
    counts = context.scratch<int64_t>(n * ranks.size());
    if (Status status = ranks.allGather(mine, counts, n * 8); !status)
      return status;
    bytes = context.scratch<int64_t>(ranks.size());
    begin = context.scratch<int64_t>(ranks.size() + 1);
    begin[0] = 0;
    for (int64_t r = 0; r < ranks.size(); ++r) {
      bytes[r] = 0;
      for (int64_t u = 0; u < n; ++u)
        bytes[r] += idBytes(r, u) + rowBytes(r, u);
      begin[r + 1] = begin[r] + bytes[r];
    }
    message = context.scratch<std::byte>(begin[ranks.size()]);
    return {};
  }

  /// Writes this rank's rows and sums into its place of the message.
  void sum() {
    std::byte *to = message + begin[ranks.rank()];
    int64_t **rows = context.scratch<int64_t *>(n);
    Division division;
    for (int64_t u = 0; u < n; ++u) {
      rows[u] = reinterpret_cast<int64_t *>(to);
      segments[u].out = reinterpret_cast<float *>(to + idBytes(ranks.rank(), u));
      to += idBytes(ranks.rank(), u) + rowBytes(ranks.rank(), u);
      division.add(u, segments[u].segments, segments[u].start, dim(u));
    }
    division.run(context.pool(), [&](int64_t u, int64_t low, int64_t high) {
      for (int64_t s = low; s < high; ++s)
        rows[u][s] = segments.part(u)->row0 + segments[u].rows[s];
      updates[u].kernel.host(&segments[u], low, high);
    });
  }

  /// Each update as every rank summed it, in the order of ranks.
  void list(SparsecRows **result) {
    for (int64_t u = 0; u < n; ++u)
      result[u] = makeRows(context, updates[u].table, ranks.size());
    for (int64_t r = 0; r < ranks.size(); ++r) {
      const std::byte *at = message + begin[r];
      for (int64_t u = 0; u < n; ++u) {
        result[u]->piece[result[u]->pieces++] = {updates[u].part,
                                                 count(r, u),
                                                 dim(u),
                                                 nullptr,
                                                 reinterpret_cast<const int64_t *>(at),
                                                 nullptr,
                                                 reinterpret_cast<const float *>(at + idBytes(r, u))};
        at += idBytes(r, u) + rowBytes(r, u);
      }
    }
  }

  Context &context;
  Communicator &ranks;
  const SparsecUpdate *updates;
  int64_t n;
  RowSegments segments;
  int64_t *counts = nullptr, *bytes = nullptr, *begin = nullptr;
  std::byte *message = nullptr;
};

} // namespace

Status HostEngine::rowsReduce(int32_t axes, const SparsecUpdate *updates, int64_t n, SparsecRows **result) {
  return RowsGather(context, axes, updates, n).run(result);
}

} // namespace sparsec

extern "C" int32_t sparsec_rows_reduce(SparsecContext *handle, int32_t axes, const SparsecUpdate *updates, int64_t n,
                                       SparsecRows **result) {
  return sparsec::guarded(
      handle, [&](sparsec::Context &context) { return context.engine().rowsReduce(axes, updates, n, result); });
}
