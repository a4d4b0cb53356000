// What each kind of layer takes and gives.
#pragma once
#include "passes/Import/Description/Stages.h"

namespace sparsec::description {

/// Checks layer `index` and infers its inputWidth and shape; those it reads are done. False after an error, and where
/// one of its inputs had an error.
bool inferLayer(Context &context, int index);

/// The activation that a tensor comes out of, with the place where it is written; LINEAR if none. Shapes need not be
/// known.
struct LastActivation {
  Activation activation = LINEAR;
  Place place;
};
LastActivation lastActivation(const Loaded &loaded, TensorRef tensor);

} // namespace sparsec::description
