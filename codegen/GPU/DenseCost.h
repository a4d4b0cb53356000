// What launches of dense ops cost, from the extents of buffers; a full batch where the batch says how large they are.
#pragma once
#include "codegen/Common/Work.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sparsec::codegen {

/// Bytes of a buffer; 0 where its size is known at run time alone.
double bytesOf(mlir::Value buffer);
/// Ops of one kernel, in order: each buffer is read once and written once, and not read where an op before wrote it. A
/// sum's results are the cost of who `stores` them. An operation on floats counts one, for each point of the domain.
Work costOf(llvm::ArrayRef<mlir::linalg::GenericOp> ops, bool stores = true);

} // namespace sparsec::codegen
