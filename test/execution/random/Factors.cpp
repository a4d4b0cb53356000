#include "random/Factors.h"
#include <algorithm>
#include <set>
#include <stdexcept>

namespace sparsec::execution {

namespace {

const std::vector<std::string> strategies = {"data_parallel",  "table_wise", "column_wise", "row_wise",
                                             "table_row_wise", "grid",       "mixed"};
const std::vector<Mesh> meshes = {{1, 1, 1}, {1, 1, 2}, {1, 1, 3}, {1, 1, 4}, {2, 1, 1},
                                  {2, 1, 2}, {4, 1, 1}, {1, 2, 2}, {2, 2, 2}};
const std::vector<std::string> poolings = {"single", "sum", "mean", "max", "weighted_sum", "weighted_mean"};
const std::vector<std::string> optimizers = {"sgd", "adagrad", "row_wise_adagrad", "adam"};
const std::vector<int64_t> dims = {1, 3, 4, 16, 63, 128};

} // namespace

const std::string &strategyOf(const Levels &levels) { return strategies[levels[strategyFactor]]; }
Mesh meshOf(const Levels &levels) { return meshes[levels[meshFactor]]; }
const std::string &poolingOf(const Levels &levels) { return poolings[levels[poolingFactor]]; }
const std::string &optimizerOf(const Levels &levels) { return optimizers[levels[optimizerFactor]]; }
int64_t dimOf(const Levels &levels) { return dims[levels[dimFactor]]; }
bool wholeOf(const Levels &levels) { return levels[updateFactor]; }
bool uniqueOf(const Levels &levels) { return levels[exchangeFactor]; }

int levelCount(int factor) {
  const size_t counts[factorCount] = {
      strategies.size(), meshes.size(), poolings.size(), optimizers.size(), dims.size(), 2, 2};
  return int(counts[factor]);
}

std::string levelName(int factor, int level) {
  Levels levels{};
  levels[factor] = level;
  switch (factor) {
  case strategyFactor:
    return strategyOf(levels);
  case meshFactor:
    return meshOf(levels).name();
  case poolingFactor:
    return poolingOf(levels);
  case optimizerFactor:
    return optimizerOf(levels);
  case dimFactor:
    return std::to_string(dimOf(levels));
  case updateFactor:
    return level ? "whole" : "touched";
  default:
    return level ? "unique" : "pooled";
  }
}

std::string describeLevels(const Levels &levels) {
  std::string text;
  for (int f = 0; f < factorCount; ++f)
    text += (f ? " " : "") + levelName(f, levels[f]);
  return text;
}

Levels levelsOf(const std::string &text) {
  for (const Levels &levels : fullProduct())
    if (describeLevels(levels) == text)
      return levels;
  throw std::runtime_error("no combination `" + text + "`");
}

bool isValid(const Levels &levels) {
  const std::string &strategy = strategyOf(levels);
  bool splitsColumns = strategy == "column_wise" || strategy == "grid";
  if (splitsColumns && optimizerOf(levels) == "row_wise_adagrad")
    return false;
  return poolingOf(levels) != "max" || uniqueOf(levels);
}

uint64_t Dice::next() { // splitmix64
  uint64_t x = state += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::vector<Levels> fullProduct() {
  std::vector<Levels> all;
  Levels levels{};
  for (int f = 0; f < factorCount;) {
    if (isValid(levels))
      all.push_back(levels);
    for (f = 0; f < factorCount && ++levels[f] == levelCount(f); ++f)
      levels[f] = 0;
  }
  return all;
}

std::vector<Levels> productWithDims(uint64_t seed) {
  Dice dice(seed);
  std::vector<Levels> some;
  for (Levels levels : fullProduct())
    if (levels[dimFactor] == 0) {
      levels[dimFactor] = int(dice.below(levelCount(dimFactor)));
      some.push_back(levels);
    }
  return some;
}

namespace {

using Pair = std::array<int, 4>; // factor, level, factor, level

template <typename F> void visitPairs(const Levels &levels, F visit) {
  for (int a = 0; a < factorCount; ++a)
    for (int b = a + 1; b < factorCount; ++b)
      visit(Pair{a, levels[a], b, levels[b]});
}

} // namespace

// Greedy: of a few candidates round an uncovered pair, the one with most pairs that are new.
std::vector<Levels> pairwiseCover(uint64_t seed) {
  std::set<Pair> open;
  for (const Levels &levels : fullProduct())
    visitPairs(levels, [&](const Pair &pair) { open.insert(pair); });
  Dice dice(seed);
  std::vector<Levels> cover;
  while (!open.empty()) {
    auto first = open.begin();
    std::advance(first, dice.below(int64_t(open.size())));
    Levels best{};
    size_t most = 0;
    for (int tries = 0; tries < 300; ++tries) {
      Levels levels;
      for (int f = 0; f < factorCount; ++f)
        levels[f] = int(dice.below(levelCount(f)));
      levels[(*first)[0]] = (*first)[1];
      levels[(*first)[2]] = (*first)[3];
      if (!isValid(levels))
        continue;
      size_t fresh = 0;
      visitPairs(levels, [&](const Pair &pair) { fresh += open.count(pair); });
      if (fresh > most)
        most = fresh, best = levels;
    }
    if (!most)
      continue;
    visitPairs(best, [&](const Pair &pair) { open.erase(pair); });
    cover.push_back(best);
  }
  return cover;
}

} // namespace sparsec::execution
