// The strategies one by one, and what they share.
#pragma once
#include "dialect/proto/plan.pb.h"
#include "passes/Plan/Strategy.h"

namespace sparsec::plan {

#define STRATEGY(name) const Strategy &name();
#include "passes/Plan/strategies/Strategies.def"
#undef STRATEGY

/// Columns [column, column + width) on `count` ranks of the group from `first` on.
rec::PartAttr ownedPart(const GroupShape &, int64_t column, int64_t width, int64_t first, int64_t count);
/// Empty, or which place does not exist.
std::string placesInside(const Choice &, int64_t places, llvm::StringRef kind);
/// As placesInside; also no more parts than columns, and no optimizer that needs whole rows.
std::string columnRefusal(const TableFacts &, const Choice &, int64_t places, llvm::StringRef kind);
/// The places that a list of a plan file names.
template <class List> Choice choiceOf(const List &list) {
  return Choice{llvm::SmallVector<int64_t>(list.begin(), list.end())};
}
/// The first 2, 4, 8, ... of `places`, at most `limit`.
llvm::SmallVector<Choice> powersOfTwo(int64_t limit, llvm::ArrayRef<int64_t> places);

} // namespace sparsec::plan
