//===- All of the `rec` dialect ---------------------------------------------------------------------------------===//
#ifndef SPARSEC_REC_OPS
#define SPARSEC_REC_OPS

include "dialect/Rec/RecStepOps.td"
include "dialect/Rec/RecDenseOps.td"
include "dialect/Rec/RecLossOps.td"
include "dialect/Rec/RecEmbeddingOps.td"

#endif
