// Where batches come from: delimited text files, or made-up samples for
// measurements. See runtime/data/README.md.
#pragma once
#include "sparsec/Batch.h"
#include "sparsec/Program.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sparsec {

/// A place in the global stream, the same on every rank: batch `batch` (from 0)
/// of epoch `epoch` (from 0).
struct BatchPosition {
  int64_t epoch = 0, batch = 0;
  bool operator==(const BatchPosition &) const = default;
};

struct DataCounters {
  std::vector<IdCounters> features; // for each Program::features, over all
                                    // batches handed out so far
  int64_t commentLines = 0;         // skipped; each line once, in what was scanned so far
  int64_t samples = 0;              // of this rank, handed out so far
};

/// Batches in order. One thread at a time may call it.
class BatchSource {
public:
  virtual ~BatchSource() = default;
  /// This rank's part of the next batch, or null after the last one. The last
  /// two are valid: one may be in use while the one after it is prepared; seek
  /// ends both. Every rank gets equally many batches, some of them with 0
  /// samples.
  virtual const Batch *next() = 0;
  /// The place of the batch that next() will give: what a checkpoint keeps.
  virtual BatchPosition position() const = 0;
  /// Goes to a place. Fails if the stream has no such batch.
  virtual Status seek(BatchPosition) = 0;
  /// Samples in one epoch, over all ranks. Scans the files to their end, once.
  virtual int64_t epochSamples() = 0;
  virtual DataCounters counters() const = 0;
};

struct ReaderOptions {
  int64_t batchSize = 0; // global
  int64_t rank = 0, ranks = 1;
  int64_t epochs = 1; // 0: round and round without end
  uint64_t seed = 1;
  int64_t shuffleRows = 0; // window of the shuffle; 0: file order
  bool labels = true;      // false: label columns are not read and need not be there
  int threads = 1;         // that parse; 0: next() parses itself. The result is the same
  int prefetch = 2;        // batches ready beyond those being parsed

  static ReaderOptions train(const Program &, int64_t rank);
  static ReaderOptions evaluate(const Program &,
                                int64_t rank); // file order, once
  static ReaderOptions predict(const Program &,
                               int64_t rank); // as evaluate, without labels
};

/// Opens the files, decompresses, and checks headers; rows are parsed as
/// batches are asked for. `files` in the order of the stream. Errors are
/// `file:line:column: ...`.
Result<std::unique_ptr<BatchSource>> openReader(const Program &, const std::vector<std::string> &files,
                                                const ReaderOptions &);

/// For one feature of made-up data.
struct SyntheticFeature {
  double zipf = 1.05;   // exponent of the id frequencies, id 0 the most frequent;
                        // 0: uniform
  double bagLength = 1; // mean; lengths are uniform in [0, 2 * mean], and
                        // exactly the mean where it is 1
};
struct SyntheticOptions {
  int64_t batchSize = 0; // global
  int64_t rank = 0, ranks = 1;
  int64_t batches = 0; // in an epoch; there is one. 0: without end
  uint64_t seed = 1;
  int distinct = 16;                      // batches made at the start and given in turn, so that
                                          // next() costs nothing
  std::vector<SyntheticFeature> features; // for each Program::features; empty: the defaults
};
/// Samples out of a generator; sample i does not depend on the number of ranks.
Result<std::unique_ptr<BatchSource>> makeSynthetic(const Program &, const SyntheticOptions &);

/// What all ranks must agree on before they start: the files in order, by size
/// and by XXH64 over samples of their bytes (all of them up to 1 MiB; beyond
/// that the ends and 62 pieces between). Names do not matter.
struct ContentCheck {
  int64_t bytes = 0;
  uint64_t checksum = 0;
  bool operator==(const ContentCheck &) const = default;
};
Result<ContentCheck> checkContent(const std::vector<std::string> &files);

} // namespace sparsec
