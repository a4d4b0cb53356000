// Matrix products with what follows them in gradients: what a GPU's library does in one call.
#pragma once
#include "sparsec/Gemm.h"

namespace sparsec::emulate {

/// As abi.h's sparsec_gemm, its gradients included. Sums are made in double, in the order of k.
Status gradientProduct(Gemm &, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                       float *with, float *c);

} // namespace sparsec::emulate
