// The occurrences of several updates in one list, before they are sorted: by update, in an update by piece, bag,
// position. Their keys are (update, local row).
#pragma once
#include "Rows.h"
#include <span>

namespace sparsec {

class RowSources {
public:
  /// Errors: rows that are not of the update's part; no rows; too many for one sort.
  static Result<RowSources> create(Context &, const SparsecUpdate *, int64_t n);

  struct Source { // a piece that counts, and where its occurrences go
    const RowsPiece *piece;
    int64_t update, first;
  };
  std::span<const Source> list;
  std::span<const SparsecPart *> parts; // of Context::tables(), for each update; null: not here
  int64_t total = 0;                    // occurrences
  bool weighted = false;

  /// Of local row 0 of update u.
  uint64_t key(int64_t u) const { return uint64_t(u) << rowBits; }
  uint64_t rowMask() const { return (uint64_t(1) << rowBits) - 1; }
  /// No key is larger.
  uint64_t maxKey() const { return parts.empty() ? 0 : key(int64_t(parts.size()) - 1) | rowMask(); }
  /// Where update u's occurrences begin, before and after sorting; u = updates: where all end.
  int64_t begin(int64_t u) const { return begins[u]; }

  /// The error for a row of update u that is not of its part.
  Status foreignRow(int64_t u) const;

private:
  Status fault(int64_t u, const std::string &what) const;
  Status findParts();
  Status findPieces();
  Context *context = nullptr;
  const SparsecUpdate *updates = nullptr;
  int rowBits = 0;
  int64_t *begins = nullptr; // [updates + 1]
};

} // namespace sparsec
