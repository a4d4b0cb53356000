// What to change where nothing fits. All advice has been tried: the search itself accepts it.
#pragma once
#include "passes/Plan/Search.h"

namespace sparsec::plan {

/// As diagnostics say bytes: `72.50 GiB`.
std::string gib(double bytes);

/// Notes the smallest change with which `guilty`, which did not fit among `groups` groups, and all others fit: fewer
/// groups, a strategy left open, the smallest number of ranks, or else more memory.
void advise(const Facts &facts, const Table &guilty, int64_t groups, mlir::InFlightDiagnostic &diagnostic);

} // namespace sparsec::plan
