// NVIDIA GPUs, by PTX and ptxas.
#pragma once
#include "codegen/GPU/Target.h"

namespace sparsec::codegen {

/// Code for these architectures (90: sm_90), and PTX of the newest for those that come later.
/// `matmul`: fp32, tf32 or bf16.
std::unique_ptr<Target> makeCudaTarget(llvm::ArrayRef<int> architectures, llvm::StringRef matmul,
                                       llvm::ArrayRef<TunedLookup> tuned);

} // namespace sparsec::codegen
