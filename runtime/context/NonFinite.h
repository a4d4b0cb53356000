// A loss that is not finite, explained.
#pragma once
#include "sparsec/Context.h"

namespace sparsec {

/// Names the batch and the first tensor with a weight that is not finite, on whichever rank it lies. Every rank calls
/// it, after the same step; all return the same.
Status explainLoss(Context &, float loss);

} // namespace sparsec
