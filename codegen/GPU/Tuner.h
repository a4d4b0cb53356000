// The program that measures schedules of lookups on a device: see runtime/tune.
#pragma once
#include "codegen/Common/Target.h"
#include "mlir/IR/OwningOpRef.h"

namespace sparsec::codegen {

/// All schedules of each class of lookups of `program`, which is behind the stage `optimize`, as a module of kernels
/// with the description of a tuner; to be lowered by buildKernelsPipeline and linked with `tunerMain`. Null after an
/// error: the program has no lookups.
mlir::OwningOpRef<mlir::ModuleOp> makeTuner(mlir::ModuleOp program, const Target &, llvm::StringRef compiler);

inline constexpr llvm::StringLiteral tunerMain = "libsparsec_tune.a";

} // namespace sparsec::codegen
