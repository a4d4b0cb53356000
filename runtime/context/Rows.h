// Row gradients that are not summed yet. They stay where they are: a piece refers to bags and to the gradient of each.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Occurrence k of bag b: row values[k], gradient row b, weight weights[k] (null: 1). Without offsets, bag b has the
/// one value values[b].
struct RowsPiece {
  int32_t part; // of the table
  int64_t bags, dim;
  const int64_t *offsets; // [bags + 1] into values and weights
  const int64_t *values;  // global rows
  const float *weights;
  const float *gradient; // [bags, dim]
  int64_t first() const { return offsets ? offsets[0] : 0; }
  int64_t size() const { return offsets ? offsets[bags] - offsets[0] : bags; }
};

} // namespace sparsec

/// Occurrences in order: pieces, and in a piece bags and positions. May hold several parts of the table.
struct SparsecRows {
  int32_t table;
  int64_t pieces;
  sparsec::RowsPiece *piece;
};

namespace sparsec {

/// Room for `pieces`, none there yet.
SparsecRows *makeRows(Context &, int32_t table, int64_t pieces);

/// The rows of several updates, sorted and cut into segments: one sort over (update, row).
class RowSegments {
public:
  /// Errors: rows that are not of the update's part; no rows.
  static Result<RowSegments> create(Context &, const SparsecUpdate *, int64_t n);
  /// Segments of update u with rows, start, gradient, weight and the part's fields; the rest is 0.
  SparsecSegments &operator[](int64_t u) const { return segments[u]; }
  /// The part of update u, or null.
  const SparsecPart *part(int64_t u) const { return parts[u]; }

private:
  SparsecSegments *segments = nullptr;
  const SparsecPart **parts = nullptr;
  friend class SegmentBuilder;
};

} // namespace sparsec
