// One random model, compiled and trained, against the reference.
#pragma once
#include "random/RandomModel.h"

namespace sparsec::execution {

struct Outcome {
  bool skipped = false;                  // the reference itself moves too much when its weights move a little
  std::string failure;                   // empty: all is well
  double lossError = 0, weightError = 0; // the largest seen
};

struct CheckOptions {
  int64_t steps = 30;
  bool twice = true; // train again, on two threads, and compare bytes
  bool mpi = false;
};

Outcome checkModel(const RandomModel &model, const CheckOptions &options = {});

/// Runs the two against each other: `left` and `right` differ in plan and mesh alone. The same limits.
Outcome compareRuns(const RandomModel &left, const RandomModel &right, int64_t steps);

} // namespace sparsec::execution
