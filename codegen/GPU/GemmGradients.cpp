// rec-gemm-gradients: a product and what follows it in the gradient of a layer, as one call.
//
// Needs: entry points with a context (rec-entry-abi), dense ops as rec-differentiate made them. Ensures: where the
// gradient g of a layer's units is multiplied by its inputs for the weight, the same call adds g up for the bias; where
// a product is only wanted before the relu below, the call applies relu's gradient.
//
//   %c = rec.matmul %g, %x {transpose_a}       llvm.call @sparsec_gemm(... SUMS: %c and %s)
//   %s = rec.column_sum %g                  ->
//   %d = rec.matmul %g, %w                     llvm.call @sparsec_gemm(... RELU_GRADIENT by %y: %e)
//   %e = rec.activate_grad %d, %y {relu}
#include "codegen/Common/DenseGemm.h"
#include "codegen/Common/Passes.h"
#include "codegen/GPU/DensePasses.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparsec/abi.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct GemmGradientsPass : PassWrapper<GemmGradientsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GemmGradientsPass)
  StringRef getArgument() const override { return "rec-gemm-gradients"; }
  StringRef getDescription() const override { return "a product and what follows it in a gradient as one call"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override;
};
} // namespace

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static int32_t flagsOf(rec::MatmulOp product) {
  return (product.getTransposeA() ? SPARSEC_GEMM_TRANSPOSE_A : 0) |
         (product.getTransposeB() ? SPARSEC_GEMM_TRANSPOSE_B : 0);
}

/// With a transposed left side it sums over the samples, as a column sum does.
static void fuseSum(rec::MatmulOp product) {
  auto isBehind = [&](Operation *user) {
    return isa<rec::ColumnSumOp>(user) && user->getBlock() == product->getBlock() && product->isBeforeInBlock(user);
  };
  auto users = product.getA().getUsers();
  auto found = llvm::find_if(users, isBehind);
  if (!product.getTransposeA() || found == users.end())
    return;
  auto sum = cast<rec::ColumnSumOp>(*found);
  ImplicitLocOpBuilder b(product.getLoc(), product);
  RuntimeCalls calls(b);
  Value sums = calls.newBuffer(typeOf(sum.getSum()), {});
  Value c = gemm(b, flagsOf(product) | SPARSEC_GEMM_SUMS, product.getA(), product.getB(), sums, typeOf(product.getC()));
  sum.getSum().replaceAllUsesWith(calls.asTensor(sums));
  product.getC().replaceAllUsesWith(c);
  sum.erase();
  product.erase();
}

/// Not where each number is one product: cuBLASLt has no relu's gradient there.
static void fuseRelu(rec::MatmulOp product) {
  auto gradient =
      product.getC().hasOneUse() ? dyn_cast<rec::ActivateGradOp>(*product.getC().user_begin()) : rec::ActivateGradOp();
  bool isRelu = gradient && gradient.getGradient() == product.getC() && gradient.getY() != product.getC() &&
                gradient.getActivation() == rec::Activation::Relu;
  int64_t inner = typeOf(product.getA()).getDimSize(product.getTransposeA() ? 0 : 1);
  if (!isRelu || inner == 1 || ShapedType::isDynamic(inner))
    return;
  ImplicitLocOpBuilder b(gradient.getLoc(), gradient);
  Value c = gemm(b, flagsOf(product) | SPARSEC_GEMM_RELU_GRADIENT, product.getA(), product.getB(), gradient.getY(),
                 typeOf(gradient.getResult()));
  gradient.getResult().replaceAllUsesWith(c);
  gradient.erase();
  product.erase();
}

void GemmGradientsPass::runOnOperation() {
  for (auto entry : getOperation().getOps<func::FuncOp>()) {
    if (entry.isDeclaration())
      continue;
    for (auto product : llvm::to_vector(entry.getOps<rec::MatmulOp>()))
      fuseRelu(product);
    for (auto product : llvm::to_vector(entry.getOps<rec::MatmulOp>()))
      fuseSum(product);
  }
}

std::unique_ptr<Pass> codegen::createGemmGradientsPass() { return std::make_unique<GemmGradientsPass>(); }
