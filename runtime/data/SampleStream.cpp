#include "SampleStream.h"
#include "Shuffle.h"
#include <algorithm>
#include <numeric>

namespace sparsec::data {

SampleStream::SampleStream(RowIndex index, const ReaderOptions &o)
    : index(std::move(index)), batchSize(o.batchSize), block((o.batchSize - 1) / o.ranks + 1), rank(o.rank),
      window(o.shuffleRows), seed(o.seed) {}

// batchSize and row numbers are far from 2^63 in any file that exists, but positions come from outside.
bool SampleStream::hasBatch(int64_t batch) {
  return batch >= 0 && batch <= INT64_MAX / batchSize && index.has(batch * batchSize);
}

void SampleStream::loadWindow(int64_t epoch, int64_t number) {
  if (loadedWindow != number)
    index.rows(number * window, window, windowTexts);
  if (loadedWindow != number || loadedEpoch != epoch)
    shuffleWindow(seed, epoch, number * window, windowTexts.size(), windowRows);
  loadedWindow = number;
  loadedEpoch = epoch;
}

void SampleStream::batch(BatchPosition position, BatchRows &out) {
  out.position = position;
  out.texts.clear();
  out.rows.clear();
  int64_t begin = position.batch * batchSize;
  int64_t first = begin + std::min(rank * block, batchSize), end = begin + std::min((rank + 1) * block, batchSize);
  if (window == 0) {
    if (first < end)
      index.rows(first, end - first, out.texts);
    out.rows.resize(out.texts.size());
    std::iota(out.rows.begin(), out.rows.end(), first);
  }
  for (int64_t at = first; window && at < end && index.has(at);) {
    loadWindow(position.epoch, at / window);
    int64_t start = loadedWindow * window, stop = std::min<int64_t>(end, start + windowRows.size());
    for (; at < stop; ++at) {
      out.rows.push_back(windowRows[at - start]);
      out.texts.push_back(windowTexts[windowRows[at - start] - start]);
    }
  }
  out.lastOfEpoch = !index.has(begin + batchSize);
  out.globalSamples = out.lastOfEpoch ? index.total() - begin : batchSize;
  out.firstSample = std::min(rank * block, out.globalSamples);
}

} // namespace sparsec::data
