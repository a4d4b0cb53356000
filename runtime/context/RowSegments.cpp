#include "Division.h"
#include "RowSources.h"
#include "SortedRuns.h"
#include <algorithm>
#include <atomic>

namespace sparsec {

/// Lists every occurrence of every update as (key, place of its gradient row, weight), sorts, and cuts.
class SegmentBuilder {
public:
  SegmentBuilder(Context &context, const RowSources &sources) : context(context), sources(sources) {}

  Result<RowSegments> run() {
    if (Status status = list(); !status)
      return status;
    Result<SortedRuns> sorted = sortRuns(context, keys, sources.total, sources.maxKey());
    if (!sorted)
      return sorted.status();
    cut(*sorted);
    return result;
  }

private:
  Status list() {
    int64_t total = sources.total;
    keys = context.scratch<uint64_t>(total);
    listedPlace = context.scratch<const float *>(total);
    if (sources.weighted)
      listedWeight = context.scratch<float>(total);
    Division division;
    for (size_t s = 0; s < sources.list.size(); ++s)
      division.add(int64_t(s), sources.list[s].piece->bags, sources.list[s].piece->offsets(), 2);
    std::atomic<int64_t> bad = -1;
    division.run(context.pool(), [&](int64_t s, int64_t begin, int64_t end) {
      if (!listBags(sources.list[s], begin, end))
        bad = s;
    });
    return bad < 0 ? Status() : sources.foreignRow(sources.list[bad].update);
  }

  bool listBags(const RowSources::Source &source, int64_t begin, int64_t end) {
    const RowsPiece &piece = *source.piece;
    const SparsecPart &part = *sources.parts[source.update];
    const int64_t *offsets = piece.offsets(), *values = piece.values();
    const float *weights = piece.weights();
    uint64_t high = sources.key(source.update);
    bool good = true;
    for (int64_t bag = begin; bag < end; ++bag) {
      int64_t from = offsets ? offsets[bag] : bag, to = offsets ? offsets[bag + 1] : bag + 1;
      int64_t at = source.first + from - piece.first();
      for (int64_t p = from; p < to; ++p, ++at) {
        uint64_t row = uint64_t(values[p] - part.row0);
        good &= row < uint64_t(part.rows);
        keys[at] = high | (row & sources.rowMask());
        listedPlace[at] = piece.gradient + bag * piece.dim;
        if (sources.weighted)
          listedWeight[at] = weights ? weights[p] : 1.0f;
      }
    }
    return good;
  }

  void cut(const SortedRuns &sorted) {
    int64_t total = sources.total, n = int64_t(sources.parts.size());
    result.parts = sources.parts.data();
    result.segments = context.scratch<SparsecSegments>(n);
    const float **place = context.scratch<const float *>(total);
    float *weight = sources.weighted ? context.scratch<float>(total) : nullptr;
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
        rows[s] = int64_t(sorted.key[s] & sources.rowMask());
    });
    const uint64_t *next = sorted.key, *last = sorted.key + sorted.runs;
    for (int64_t u = 0; u < n; ++u) {
      const uint64_t *first = next;
      next = std::lower_bound(first, last, sources.key(u + 1));
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
  const RowSources &sources;
  RowSegments result;
  uint64_t *keys = nullptr;
  const float **listedPlace = nullptr;
  float *listedWeight = nullptr;
};

Result<RowSegments> RowSegments::create(Context &context, const SparsecUpdate *updates, int64_t n) {
  Result<RowSources> sources = RowSources::create(context, updates, n);
  return sources ? SegmentBuilder(context, *sources).run() : sources.status();
}

} // namespace sparsec
