// What memory gives for rows at random places: the peers of lookups and updates.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace sparsec::benchmarks {

constexpr int64_t rowsAhead = 16; // that are prefetched

/// Clang's vectors, which any target has; the widest that divide a row of `dim`, up to 16 floats.
template <int64_t dim> struct RowVector {
  static constexpr int64_t lanes = std::min<int64_t>(dim & -dim, 16), count = dim / lanes;
  typedef float Type __attribute__((vector_size(lanes * sizeof(float)), aligned(4)));
};

template <int64_t dim> void prefetchRow(const float *row) {
  for (int64_t c = 0; c < dim; c += 16)
    __builtin_prefetch(row + c);
}

/// Sums of bags of rows, as a person would write it for one width: rows prefetched, sums kept in registers.
/// `offsets`: of the bags in `ids`, one more than there are bags. `out`: [bags][dim].
template <int64_t dim>
void gather(const float *table, std::span<const int64_t> ids, std::span<const int64_t> offsets, float *out) {
  using Vector = typename RowVector<dim>::Type;
  constexpr int64_t count = RowVector<dim>::count;
  int64_t last = int64_t(ids.size()) - 1;
  for (size_t bag = 0; bag + 1 < offsets.size(); ++bag) {
    Vector sum[count] = {};
    for (int64_t k = offsets[bag]; k < offsets[bag + 1]; ++k) {
      prefetchRow<dim>(table + ids[std::min(k + rowsAhead, last)] * dim);
      auto *row = reinterpret_cast<const Vector *>(table + ids[k] * dim);
      for (int64_t c = 0; c < count; ++c)
        sum[c] += row[c];
    }
    std::memcpy(out + int64_t(bag) * dim, sum, sizeof sum);
  }
}

/// Reads and writes `rows` of a table, or of a state, and does next to nothing to them.
template <int64_t dim> void readModifyWrite(float *table, std::span<const int64_t> rows) {
  using Vector = typename RowVector<dim>::Type;
  int64_t last = int64_t(rows.size()) - 1;
  for (int64_t i = 0; i <= last; ++i) {
    prefetchRow<dim>(table + rows[std::min(i + rowsAhead, last)] * dim);
    auto *row = reinterpret_cast<Vector *>(table + rows[i] * dim);
    for (int64_t c = 0; c < RowVector<dim>::count; ++c)
      row[c] += 1e-3f;
  }
}

} // namespace sparsec::benchmarks
