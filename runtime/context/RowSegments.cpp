#include "Division.h"
#include "Rows.h"
#include "SortedRuns.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <fmt/format.h>

namespace sparsec {

/// Lists every occurrence of every update as (key, place of its gradient row, weight), sorts, and cuts.
class SegmentBuilder {
public:
  SegmentBuilder(Context &context, const SparsecUpdate *updates, int64_t n)
      : context(context), updates(updates), n(n) {}

  Result<RowSegments> run() {
    if (Status status = collect(); !status)
      return status;
    if (Status status = list(); !status)
      return status;
    uint64_t maxKey = n > 0 ? (uint64_t(n - 1) << rowBits) | rowMask() : 0;
    Result<SortedRuns> sorted = sortRuns(context, keys, total, maxKey);
    if (!sorted)
      return sorted.status();
    cut(*sorted);
    return result;
  }

private:
  struct Source { // a piece that counts, and where its occurrences go
    const RowsPiece *piece;
    int64_t update, first;
  };

  uint64_t rowMask() const { return (uint64_t(1) << rowBits) - 1; }

  Status fault(int64_t u, std::string what) const {
    const auto &tables = context.program().tables;
    int32_t table = updates[u].table;
    std::string name = table >= 0 && size_t(table) < tables.size() ? tables[table].name : std::to_string(table);
    return Status::error(fmt::format("table `{}`, part {}, rank {}: {}", name, updates[u].part, context.rank(), what));
  }

  /// Parts, pieces, and how many bits a key needs.
  Status collect() {
    result.segments = context.scratch<SparsecSegments>(n);
    result.parts = context.scratch<const SparsecPart *>(n);
    int64_t pieces = 0, mostRows = 1;
    for (int64_t u = 0; u < n; ++u) {
      if (!updates[u].rows || updates[u].rows->table != updates[u].table)
        return fault(u, updates[u].rows ? "the row gradients are of another table" : "no row gradients");
      result.parts[u] = context.tables().part(updates[u].table, updates[u].part);
      pieces += updates[u].rows->pieces;
      if (result.parts[u])
        mostRows = std::max(mostRows, result.parts[u]->rows);
    }
    rowBits = std::bit_width(uint64_t(mostRows - 1));
    if (rowBits + std::bit_width(uint64_t(std::max<int64_t>(n, 1) - 1)) > 63)
      return Status::error(fmt::format("{} updates of {} rows: too many for one sort", n, mostRows));
    sources = context.scratch<Source>(pieces);
    for (int64_t u = 0; u < n; ++u)
      for (int64_t p = 0; p < updates[u].rows->pieces; ++p) {
        const RowsPiece &piece = updates[u].rows->piece[p];
        if (piece.part != updates[u].part || piece.size() == 0)
          continue;
        if (!result.parts[u] || piece.dim != result.parts[u]->dim)
          return fault(u, fmt::format("row gradients of {} columns, but {}", piece.dim,
                                      result.parts[u] ? fmt::format("rows have {}", result.parts[u]->dim)
                                                      : "nothing of the part is here"));
        sources[count++] = {&piece, u, total};
        total += piece.size();
        weighted |= piece.weights != nullptr;
      }
    return {};
  }

  Status list() {
    keys = context.scratch<uint64_t>(total);
    listedPlace = context.scratch<const float *>(total);
    if (weighted)
      listedWeight = context.scratch<float>(total);
    Division division;
    for (int64_t s = 0; s < count; ++s)
      division.add(s, sources[s].piece->bags, sources[s].piece->offsets, 2);
    std::atomic<int64_t> bad = -1;
    division.run(context.pool(), [&](int64_t s, int64_t begin, int64_t end) {
      if (!listBags(sources[s], begin, end))
        bad = s;
    });
    if (bad >= 0)
      return fault(sources[bad].update, "a row gradient is of a row that is not here");
    return {};
  }

  bool listBags(const Source &source, int64_t begin, int64_t end) {
    const RowsPiece &piece = *source.piece;
    const SparsecPart &part = *result.parts[source.update];
    uint64_t high = uint64_t(source.update) << rowBits;
    bool good = true;
    for (int64_t bag = begin; bag < end; ++bag) {
      int64_t from = piece.offsets ? piece.offsets[bag] : bag, to = piece.offsets ? piece.offsets[bag + 1] : bag + 1;
      int64_t at = source.first + from - piece.first();
      for (int64_t p = from; p < to; ++p, ++at) {
        uint64_t row = uint64_t(piece.values[p] - part.row0);
        good &= row < uint64_t(part.rows);
        keys[at] = high | (row & rowMask());
        listedPlace[at] = piece.gradient + bag * piece.dim;
        if (weighted)
          listedWeight[at] = piece.weights ? piece.weights[p] : 1.0f;
      }
    }
    return good;
  }

  void cut(const SortedRuns &sorted) {
    const float **place = context.scratch<const float *>(total);
    float *weight = weighted ? context.scratch<float>(total) : nullptr;
    context.pool().parallel(total, 8192, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        place[k] = listedPlace[sorted.order[k]];
        if (weight)
          weight[k] = listedWeight[sorted.order[k]];
      }
    });
    int64_t *rows = context.scratch<int64_t>(sorted.runs);
    context.pool().parallel(sorted.runs, 16384, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s)
        rows[s] = int64_t(sorted.key[s] & rowMask());
    });
    const uint64_t *next = sorted.key, *last = sorted.key + sorted.runs;
    for (int64_t u = 0; u < n; ++u) {
      const uint64_t *first = next;
      next = std::lower_bound(first, last, uint64_t(u + 1) << rowBits);
      SparsecSegments &of = result.segments[u];
      of = {};
      of.segments = next - first;
      of.rows = rows + (first - sorted.key);
      of.start = sorted.start + (first - sorted.key);
      of.gradient = place;
      of.weight = weight;
      of.field = result.parts[u] ? result.parts[u]->field : nullptr;
    }
  }

  Context &context;
  const SparsecUpdate *updates;
  int64_t n;
  RowSegments result;
  int rowBits = 0;
  Source *sources = nullptr;
  int64_t count = 0, total = 0;
  bool weighted = false;
  uint64_t *keys = nullptr;
  const float **listedPlace = nullptr;
  float *listedWeight = nullptr;
};

Result<RowSegments> RowSegments::create(Context &context, const SparsecUpdate *updates, int64_t n) {
  return SegmentBuilder(context, updates, n).run();
}

} // namespace sparsec
