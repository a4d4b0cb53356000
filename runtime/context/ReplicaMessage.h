// What replicas tell each other in one all-gather: for each rank in order, for each update its touched rows (global)
// and then their sums.
#pragma once
#include "Rows.h"

namespace sparsec {

class ReplicaMessage {
public:
  /// Tells all ranks of `axes` how many rows each has for each update; `counts` [n] are this rank's. An update of a
  /// part that is not here has dim 0. One message.
  static Result<ReplicaMessage> create(Context &, int32_t axes, const SparsecUpdate *, int64_t n,
                                       const int64_t *counts);

  int64_t size() const { return begin[ranks]; } // bytes, of all ranks
  /// Bytes of each rank, [ranks].
  const int64_t *bytes() const { return rankBytes; }
  int64_t mine() const { return begin[me]; } // where this rank's begins
  /// Bytes from the begin of a rank's part to the rows of update u, and from there to their sums.
  int64_t rowsAt(int64_t rank, int64_t u) const { return places[rank * (n + 1) + u]; }
  int64_t sumsAt(int64_t rank, int64_t u) const { return rowsAt(rank, u) + padded(count(rank, u) * 8); }
  int64_t count(int64_t rank, int64_t u) const { return counts[rank * n + u]; }
  int64_t rank() const { return me; }

  /// Each update as every rank summed it, in the order of ranks; `message` is the engine's memory.
  void list(Context &, const SparsecUpdate *, const std::byte *message, SparsecRows **result) const;

private:
  static int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  int64_t n = 0, ranks = 0, me = 0;
  int64_t *dims = nullptr, *counts = nullptr, *rankBytes = nullptr, *begin = nullptr, *places = nullptr;
};

} // namespace sparsec
