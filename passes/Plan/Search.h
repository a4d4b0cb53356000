// The search: a mesh, and parts for every table, that fit and cost least.
#pragma once
#include "passes/Plan/CostModel.h"

namespace sparsec::plan {

struct Placed {
  const Strategy *strategy = nullptr;
  Choice choice;
  llvm::SmallVector<rec::PartAttr> parts;
};

struct Result {
  int64_t groups = 1;
  GroupShape group;
  std::vector<Placed> tables; // as Facts::tables
  std::vector<Cost> ranks;    // of one group; all groups are alike
  double seconds = 0;         // slowest rank, messages and layers included
};

/// Whether so many ranks can form the groups and shards that are ordered.
bool formsMesh(const Facts &facts, int64_t ranks);
/// Whether `search` would find a plan. Emits nothing.
bool fits(const Facts &facts);
/// Finds a plan that keeps every order and fits in memory, or explains with diagnostics why there is none: the table,
/// its need and what each rank has, and the smallest change that helps.
mlir::FailureOr<Result> search(const Facts &facts);

} // namespace sparsec::plan
