// Numbers of all ranks on rank 0.
#pragma once
#include "sparsec/Communicator.h"
#include <span>
#include <vector>

namespace sparsec::cli {

/// On rank 0 the values of all ranks one after another, in the order of ranks; elsewhere nothing.
Result<std::vector<float>> gatherOnFirst(Communicator &, std::span<const float> mine);

} // namespace sparsec::cli
