// What a random model is about: one level for each factor. Everything else follows from a seed.
#pragma once
#include "support/Compiled.h"
#include "test/support/Combinations.h"
#include <array>
#include <vector>

namespace sparsec::execution {

enum Factor { strategyFactor, meshFactor, poolingFactor, optimizerFactor, dimFactor, updateFactor, exchangeFactor };
constexpr int factorCount = 7;

/// Index of a level for each factor.
using Levels = std::array<int, factorCount>;

/// How many levels a factor has, and how they are called.
int levelCount(int factor);
std::string levelName(int factor, int level);

/// `mixed`: a strategy of its own for each table.
const std::string &strategyOf(const Levels &levels);
Mesh meshOf(const Levels &levels);
const std::string &poolingOf(const Levels &levels);
const std::string &optimizerOf(const Levels &levels);
int64_t dimOf(const Levels &levels);
bool wholeOf(const Levels &levels);
bool uniqueOf(const Levels &levels);

/// Pairs that the language or the planner refuses are left out.
bool isValid(const Levels &levels);

/// "row_wise 2x2 max adam 16 whole unique"
std::string describeLevels(const Levels &levels);
/// The way back. Throws std::runtime_error where no valid combination is called that.
Levels levelsOf(const std::string &text);

/// Few combinations in which every valid pair of levels of two factors occurs.
std::vector<Levels> pairwiseCover(uint64_t seed);

/// All valid combinations of all levels.
std::vector<Levels> fullProduct();
/// All valid combinations of the factors that a plan sees, which are all but the dim; dims follow from `seed`.
std::vector<Levels> productWithDims(uint64_t seed);

using test::Dice;

} // namespace sparsec::execution
