// How a matrix product is written.
#pragma once
#include "codegen/Common/RuntimeCalls.h"

namespace sparsec::codegen {

/// A call of sparsec_gemm with SPARSEC_GEMM_* flags: c = op(left) op(right), of type `type`. `with`, a tensor or a
/// buffer, is what abi.h says for the flags; null: nothing.
mlir::Value gemm(mlir::ImplicitLocOpBuilder &, int32_t flags, mlir::Value left, mlir::Value right, mlir::Value with,
                 mlir::RankedTensorType type);

} // namespace sparsec::codegen
