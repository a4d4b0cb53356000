#include "random/Factors.h"
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

static test::Combinations<factorCount> combinations() {
  Levels counts;
  for (int f = 0; f < factorCount; ++f)
    counts[f] = levelCount(f);
  return {counts, isValid};
}

std::vector<Levels> fullProduct() { return combinations().fullProduct(); }

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

std::vector<Levels> pairwiseCover(uint64_t seed) { return combinations().pairwiseCover(seed); }

} // namespace sparsec::execution
