// Why nothing fits, and what to change. All advice has been tried: the search itself accepts it.
#pragma once
#include "passes/Plan/Search.h"

namespace sparsec::plan {

/// As diagnostics say bytes: `72.50 GiB`, `1.50 KiB`, `12 bytes`.
std::string amount(double bytes);

/// Bytes that the fullest rank would need, by what takes them.
struct Need {
  double dense, activations, tables;
  double all() const { return dense + activations + tables; }
};

/// Says that `guilty`, the table that found no place among `groups` groups, does not fit; or, where they take more than
/// tables do, that the dense parameters or the batch do not. Null: there are no tables. Notes the smallest change with
/// which all fits: fewer groups, a strategy left open, a smaller layer or batch, the smallest number of ranks, or else
/// more memory.
void explainMemory(const Facts &facts, const Table *guilty, int64_t groups, const Need &need);

} // namespace sparsec::plan
