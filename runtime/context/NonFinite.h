// A loss that is not finite, explained.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Which step a loss is of: in messages it may be an earlier one than the context is at.
struct StepPlace {
  int64_t step = 0, epoch = 0, batch = 0; // the latter from 0
  /// The one that is running.
  static StepPlace of(const Context &);
};

/// Keeps the global loss of a step. One that is not finite stops all ranks, with a message that names the batch and the
/// first tensor with a weight that is not finite, on whichever rank it lies: every rank calls this with the same loss,
/// and all return the same.
Status judgeLoss(Context &, float loss, const StepPlace &);

} // namespace sparsec
