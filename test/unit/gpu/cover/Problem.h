// Tables and bags of a case.
#pragma once
#include "test/unit/gpu/cover/Case.h"

namespace sparsec::codegen::device::cover {

/// A shard of a table with its bags. Of its rows only the last few are ever touched, the `window`.
struct Table {
  int64_t row0 = 0;  // id of its first row
  int64_t first = 0; // row that the window begins at
  int64_t rows = 0;  // of the window
  std::vector<int64_t> offsets{0}, values;
  std::vector<float> weights; // empty: all 1
  int64_t bags() const { return int64_t(offsets.size()) - 1; }
  int64_t bagOf(int64_t position) const;
  float weight(int64_t position) const { return weights.empty() ? 1 : weights[position]; }
  int64_t rowOf(int64_t position) const { return values[position] - row0 - first; } // in the window
};

struct Problem {
  explicit Problem(const Case &);
  const Case of;
  int64_t dim;
  std::vector<Table> tables;
  std::vector<std::vector<float>> rows; // [tables][window, dim]

  int64_t occurrences() const;
  /// In [-1, 1), the same for the same number.
  std::vector<float> floats(int64_t count, uint64_t number) const;
};

} // namespace sparsec::codegen::device::cover
