// What a kernel of a device is tried on: one level for each factor. Everything else follows from them.
#pragma once
#include "test/support/Combinations.h"

namespace sparsec::codegen::device::cover {

enum Factor {
  familyFactor,
  dimFactor,
  lengthFactor,   // of bags, and so of segments where ids repeat
  idsFactor,      // which rows
  tablesFactor,   // for interactions: inputs
  batchFactor,    // bags of a table
  weightsFactor,  // for max pooling: bags that have lost an id; for interactions: each input with itself
  rowsFactor,     // near, or behind the 2^31st element of a table and of its shard
  optimizerFactor // with its variants
};
constexpr int factorCount = 9;
using Levels = std::array<int, factorCount>;

struct Case {
  Levels levels;
  const char *family() const;
  int64_t dim() const;
  int64_t length() const; // below 0: Zipf's mixture
  enum Ids { uniform, one, zipf };
  Ids ids() const { return Ids(levels[idsFactor]); }
  int64_t tables() const;
  int64_t batch() const;
  bool weighted() const { return levels[weightsFactor]; }
  bool far() const { return levels[rowsFactor]; }
  const char *optimizer() const;
  /// "split_lookup d31 length=1000 ids=zipf tables=26 batch=5 weighted far"
  std::string name() const;
  uint64_t seed() const;
};

/// Levels of factors that the family does not look at are 0.
test::Combinations<factorCount> combinations();
void adjust(Levels &);

std::vector<Case> fullProduct(int64_t dim);
std::vector<Case> pairwiseCover(uint64_t seed);
const std::vector<int64_t> &dims();

} // namespace sparsec::codegen::device::cover
