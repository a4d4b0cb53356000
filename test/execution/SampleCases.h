// The samples in sizes that a test trains in seconds, and rows for them.
#pragma once
#include "support/Compiled.h"

namespace sparsec::execution {

struct Sample {
  std::string name;
  std::vector<std::string> files;                                // of samples/
  std::vector<std::pair<std::string, std::string>> replacements; // in the first file: what would take too long here
  enum { adult, words, lists } data;
};

const std::vector<Sample> &samples();

/// The first file, smaller.
std::string description(const Sample &sample);
/// Paths of all its files, written to `folder`.
std::vector<std::string> writeDescription(const Sample &sample, const TemporaryFolder &folder);

/// The path of rows: Adult's own, or made up in `folder`. Empty if there are none as follows.
///
/// With few samples in a batch, a unit of relu may come within rounding of 0: on in one run and off in another that
/// adds in another order, both right, and their losses part from there, by up to 1e-1 for tiny batches. On such rows
/// nothing can be compared. Made-up rows are those of the first seed on which losses of `steps` steps of the *host* are
/// the same within 1e-6 whatever vectors oneDNN's products use, on one rank and on two.
std::string writeRows(const Sample &sample, const std::vector<std::string> &files, int64_t steps,
                      const TemporaryFolder &folder);

} // namespace sparsec::execution
