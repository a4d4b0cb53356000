// A small random model with data and a plan.
#pragma once
#include "random/Factors.h"

namespace sparsec::execution {

struct RandomModel {
  std::string description; // text
  std::string data;        // text; more than a batch, and the last batch of an epoch is a short one
  std::vector<TablePlan> tables;
  Mesh mesh;
  int64_t batch = 0;
};

/// The first table has all levels; what they leave open (other tables, features, layers, losses, the dense optimizer,
/// batch and data) follows from `seed`.
RandomModel makeModel(uint64_t seed, const Levels &levels);

/// The same model and data, planned for one rank.
RandomModel onOneRank(RandomModel model);

/// Random levels.
Levels randomLevels(uint64_t seed);

} // namespace sparsec::execution
