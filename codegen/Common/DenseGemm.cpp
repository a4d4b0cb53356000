// `linear` and `matmul`: calls of sparsec_gemm, bias and relu fused.
#include "codegen/Common/DenseGemm.h"
#include "codegen/Common/DenseLowering.h"
#include "sparsec/abi.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

Value codegen::gemm(ImplicitLocOpBuilder &b, int32_t flags, Value left, Value right, Value with,
                    RankedTensorType type) {
  RuntimeCalls calls(b);
  bool transposeA = flags & SPARSEC_GEMM_TRANSPOSE_A, transposeB = flags & SPARSEC_GEMM_TRANSPOSE_B;
  Value m = tensor::DimOp::create(b, left, transposeA ? 1 : 0);
  Value k = tensor::DimOp::create(b, left, transposeA ? 0 : 1);
  Value n = tensor::DimOp::create(b, right, transposeB ? 0 : 1);
  SmallVector<Value> extents;
  if (type.isDynamicDim(0))
    extents.push_back(m);
  if (type.isDynamicDim(1))
    extents.push_back(n);
  Value result = calls.newBuffer(type, extents);
  calls.check("sparsec_gemm",
              {calls.constant(flags), calls.asI64(m), calls.asI64(n), calls.asI64(k), calls.address(left),
               calls.address(right), with ? calls.address(with) : calls.null(), calls.address(result)});
  return calls.asTensor(result);
}

static SmallVector<Value> lowerLinear(ImplicitLocOpBuilder &b, rec::LinearOp op) {
  auto type = cast<RankedTensorType>(op.getY().getType());
  bool relu = op.getActivation() == rec::Activation::Relu;
  int32_t flags = SPARSEC_GEMM_TRANSPOSE_B | (relu ? SPARSEC_GEMM_RELU : 0);
  Value y = gemm(b, flags, op.getX(), op.getWeight(), op.getBias(), type);
  if (relu || op.getActivation() == rec::Activation::None)
    return {y};
  return {elementwise(
      b, {y}, type, [&](ImplicitLocOpBuilder &ib, ValueRange x) { return activation(ib, op.getActivation(), x[0]); })};
}

static SmallVector<Value> lowerMatmul(ImplicitLocOpBuilder &b, rec::MatmulOp op) {
  int32_t flags =
      (op.getTransposeA() ? SPARSEC_GEMM_TRANSPOSE_A : 0) | (op.getTransposeB() ? SPARSEC_GEMM_TRANSPOSE_B : 0);
  return {gemm(b, flags, op.getA(), op.getB(), Value(), cast<RankedTensorType>(op.getC().getType()))};
}

void codegen::populateGemmLowerings(RewritePatternSet &patterns) {
  addLowering(patterns, lowerLinear);
  addLowering(patterns, lowerMatmul);
}
