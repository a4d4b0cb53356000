#include "test/unit/gpu/cover/Case.h"
#include "test/unit/gpu/cover/Family.h"
#include "test/unit/kernels/OptimizerReference.h"
#include <fmt/format.h>

namespace sparsec::codegen::device::cover {

static const std::vector<int64_t> lengths = {0, 1, 2, 31, 32, 33, 1000, -1}, tableCounts = {1, 2, 26, 200},
                                  batches = {0, 1, 5};
static const char *const idNames[] = {"uniform", "one", "zipf"};

const std::vector<int64_t> &dims() {
  static const std::vector<int64_t> all = {1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 129, 256, 1023, 1024, 2048};
  return all;
}

const char *Case::family() const { return families()[levels[familyFactor]]->name; }
int64_t Case::dim() const { return dims()[levels[dimFactor]]; }
int64_t Case::length() const { return lengths[levels[lengthFactor]]; }
int64_t Case::tables() const { return tableCounts[levels[tablesFactor]]; }
int64_t Case::batch() const { return batches[levels[batchFactor]]; }
const char *Case::optimizer() const { return rules[levels[optimizerFactor]]; }

std::string Case::name() const {
  return fmt::format("{} d{} length={} ids={} tables={} batch={}{}{} {}", family(), dim(),
                     length() < 0 ? "zipf" : std::to_string(length()), idNames[ids()], tables(), batch(),
                     weighted() ? " weighted" : "", far() ? " far" : "", optimizer());
}

uint64_t Case::seed() const {
  uint64_t seed = 0;
  for (int level : levels)
    seed = seed * 17 + level;
  return seed;
}

void adjust(Levels &levels) {
  unsigned looksAt = families()[levels[familyFactor]]->looksAt;
  for (int f = 0; f < factorCount; ++f)
    if (f != familyFactor && f != batchFactor && !(looksAt & 1u << f))
      levels[f] = 0;
  if (Case{levels}.batch() == 0) // there are no bags
    for (Factor f : {lengthFactor, idsFactor, rowsFactor})
      levels[f] = 0;
}

static bool isValid(const Levels &levels) {
  Levels adjusted = levels;
  adjust(adjusted);
  return adjusted == levels && families()[levels[familyFactor]]->takes(Case{levels});
}

test::Combinations<factorCount> combinations() {
  return {{int(families().size()), int(dims().size()), int(lengths.size()), int(std::size(idNames)),
           int(tableCounts.size()), int(batches.size()), 2, 2, int(std::size(rules))},
          isValid};
}

std::vector<Case> fullProduct(int64_t dim) {
  std::vector<Case> all;
  for (const Levels &levels : combinations().fullProduct())
    if (Case{levels}.dim() == dim)
      all.push_back({levels});
  return all;
}
std::vector<Case> pairwiseCover(uint64_t seed) {
  std::vector<Case> cover;
  for (const Levels &levels : combinations().pairwiseCover(seed, adjust))
    cover.push_back({levels});
  return cover;
}

} // namespace sparsec::codegen::device::cover
