// Which row is which sample: one stream of all ranks, whose order README.md defines.
#pragma once
#include "RowIndex.h"
#include "sparsec/Reader.h"
#include <string_view>
#include <vector>

namespace sparsec::data {

/// A rank's part of a batch before it is parsed.
struct BatchRows {
  BatchPosition position;
  int64_t firstSample = 0, globalSamples = 0;
  bool lastOfEpoch = false;
  std::vector<std::string_view> texts;
  std::vector<int64_t> rows; // number of each, for messages
};

class SampleStream {
public:
  SampleStream(RowIndex index, const ReaderOptions &);

  /// My rows of a batch that exists.
  void batch(BatchPosition, BatchRows &);
  bool hasBatch(int64_t batch);
  int64_t total() { return index.total(); }
  RowLocation locate(int64_t row) { return index.locate(row); }
  int64_t commentLines() const { return index.commentLines(); }

private:
  void loadWindow(int64_t epoch, int64_t window);

  RowIndex index;
  int64_t batchSize, block, rank, window;
  uint64_t seed;
  int64_t loadedEpoch = -1, loadedWindow = -1;
  std::vector<std::string_view> windowTexts; // in file order
  std::vector<int64_t> windowRows;           // in the order of the epoch
};

} // namespace sparsec::data
