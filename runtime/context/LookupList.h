// The lookups of one call, with their bags and where their rows go: what is decided before anything is read.
#pragma once
#include "Owners.h"

namespace sparsec {

/// Bags [first, first + bags) of `ids` in a part of a table; out[0, :] is of the first of them.
struct PartLookup {
  SparsecLookupClass kernel;
  int32_t table, part;
  const SparsecPart *held; // of Context::tables()
  const SparsecJagged *ids;
  int64_t first, bags;
  float *out;
};

/// All ids of bags [begin, end), counted from the first, are rows of the part. The reader checks ids, and one look more
/// is cheap beside the read.
bool inside(const PartLookup &, int64_t begin, int64_t end);
/// What to say where they are not.
Status foreignRows(const Context &, const PartLookup &);

/// Errors: a part that is not here.
Result<std::span<PartLookup>> localLookups(Context &, const SparsecLocalItem *, int64_t n);
Result<std::span<PartLookup>> servedLookups(Context &, const Owners &, const SparsecJagged &received, float *out);

} // namespace sparsec
