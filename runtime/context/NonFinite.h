// A loss that is not finite, explained.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Keeps the global loss of a step. One that is not finite stops all ranks, with a message that names the batch and the
/// first tensor with a weight that is not finite, on whichever rank it lies: every rank calls this with the same loss,
/// and all return the same.
Status judgeLoss(Context &, float loss);

} // namespace sparsec
