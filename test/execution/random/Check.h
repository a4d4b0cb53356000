// One random model, compiled and trained, against the reference.
#pragma once
#include "random/RandomModel.h"

namespace sparsec::execution {

struct Outcome {
  bool skipped = false;                  // the reference itself moves too much when its inputs move a little
  std::string failure;                   // empty: all is well
  double lossError = 0, weightError = 0; // the largest seen
};

struct CheckOptions {
  int64_t steps = 30;
  bool twice = true; // train again, on two threads, and compare bytes
  bool mpi = false;
  std::string target = "cpu"; // as --target
};

Outcome checkModel(const RandomModel &model, const CheckOptions &options = {});

/// Trains half of the steps of `model`, whose checkpoint goes on to the end on each of `others`: the same model in
/// another plan and mesh. What they load is `model`'s last bit for bit, and losses and tables are those of the
/// uninterrupted run within the same limits.
Outcome checkResume(const RandomModel &model, const std::vector<RandomModel> &others, int64_t steps);

/// Runs the two against each other: `left` and `right` differ in plan and mesh alone. The same limits.
Outcome compareRuns(const RandomModel &left, const RandomModel &right, int64_t steps);

} // namespace sparsec::execution
