// Row gradients that are not summed yet. They stay where they are: a piece refers to bags and to the gradient of each.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Of a lookup: bags [bag0, bag0 + bags) of `ids`; an occurrence is a value of a bag, with its weight. Of a reduction:
/// a bag for each of `reduced`, with that one row and weight 1. All rows are global.
struct RowsPiece {
  int32_t part; // of the table
  int64_t bags, dim;
  const SparsecJagged *ids; // null: of a reduction
  int64_t bag0;
  const int64_t *reduced; // [bags], memory of the engine
  const float *gradient;  // [bags, dim], a row for each bag

  const int64_t *offsets() const { return ids ? ids->offsets + bag0 : nullptr; } // null: one value for each bag
  const int64_t *values() const { return ids ? ids->values : reduced; }
  const float *weights() const { return ids ? ids->weights : nullptr; } // null: all 1
  int64_t first() const { return ids ? offsets()[0] : 0; }
  int64_t size() const { return ids ? offsets()[bags] - offsets()[0] : bags; }
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
