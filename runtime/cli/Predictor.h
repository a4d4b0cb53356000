// Predictions as CSV.
#pragma once
#include "cli/Session.h"
#include <string>

namespace sparsec::cli {

/// A header with the tasks' names, then a row for each sample, in the order of the data. Rank 0 writes; `path` empty:
/// to stdout. Every rank calls it; all get the same status. Returns the number of samples.
Result<int64_t> predict(Session &, BatchSource &, const std::string &path);

} // namespace sparsec::cli
