// Rows of several sources that are added up: what each combine kernel of one call gets.
#pragma once
#include "Owners.h"

namespace sparsec {

struct SourceSum {
  SparsecCombineClass kernel;
  int64_t bags, dim;
  SparsecCombine argument; // its sources are some of SourceSums::sources
};

struct SourceSums {
  std::span<SourceSum> sums;
  std::span<const float *> sources;
};

/// For askers: the owners of each item, in order, into its columns. Rows and out may be null where there are no bags.
SourceSums combineSums(Context &, const Owners &, const SparsecJagged &routed, const float *rows, float *const *out,
                       const int64_t *dim);
/// For the rank of the owners' node: the owners' lists for each (node of the asker, my item).
SourceSums nodeSums(Context &, const Owners &, const SparsecJagged &received, const float *rows, float *out);

/// On the host.
Status addSources(Context &, std::span<const SourceSum>);

} // namespace sparsec
