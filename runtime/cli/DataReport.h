// What became of ids that did not fit the model, told once at the end.
#pragma once
#include "cli/Session.h"
#include <string>
#include <vector>

namespace sparsec::cli {

/// A line for each feature with something to tell, over all ranks. Every rank calls it.
Result<std::vector<std::string>> dataReport(const Session &, const BatchSource &);

} // namespace sparsec::cli
