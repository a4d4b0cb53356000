// How large run-time numbers of a step can get: what the batch bounds has a bound in the IR.
#pragma once
#include "mlir/IR/Value.h"
#include <optional>

namespace sparsec::codegen {

/// The largest value that non-negative index arithmetic can give; nothing where there is no bound.
std::optional<int64_t> upperBound(mlir::Value value);

} // namespace sparsec::codegen
