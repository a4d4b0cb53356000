// What the lowerings of dense ops share. Each family of ops has a file; LowerDense.cpp is the pass.
#pragma once
#include "codegen/Common/RuntimeCalls.h"
#include "dialect/Rec/Rec.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace sparsec::codegen {

class ProgramIndex;

/// A pattern from a function that builds an op's replacement.
template <typename OpT> class DenseLowering : public mlir::OpRewritePattern<OpT> {
public:
  using Function = std::function<llvm::SmallVector<mlir::Value>(mlir::ImplicitLocOpBuilder &, OpT)>;
  DenseLowering(mlir::MLIRContext *context, Function lower)
      : mlir::OpRewritePattern<OpT>(context), lower(std::move(lower)) {}
  mlir::LogicalResult matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, lower(builder, op));
    return mlir::success();
  }

private:
  Function lower;
};
template <typename OpT>
void addLowering(mlir::RewritePatternSet &patterns,
                 llvm::SmallVector<mlir::Value> (*lower)(mlir::ImplicitLocOpBuilder &, OpT)) {
  patterns.add<DenseLowering<OpT>>(patterns.getContext(), lower);
}
/// The same with the numbers of the program's parts; `index` must outlive the patterns.
template <typename OpT>
void addLowering(mlir::RewritePatternSet &patterns, const ProgramIndex &index,
                 llvm::SmallVector<mlir::Value> (*lower)(mlir::ImplicitLocOpBuilder &, OpT, const ProgramIndex &)) {
  patterns.add<DenseLowering<OpT>>(
      patterns.getContext(), [&index, lower](mlir::ImplicitLocOpBuilder &b, OpT op) { return lower(b, op, index); });
}

void populateGemmLowerings(mlir::RewritePatternSet &);
void populateElementwiseLowerings(mlir::RewritePatternSet &);
void populateColumnLowerings(mlir::RewritePatternSet &);
void populateDropoutLowering(mlir::RewritePatternSet &);
void populateLossLowerings(mlir::RewritePatternSet &);
void populateStepLowerings(mlir::RewritePatternSet &, const ProgramIndex &);

inline mlir::RankedTensorType tensorType(mlir::Value v) { return mlir::cast<mlir::RankedTensorType>(v.getType()); }
/// The dynamic extents of a tensor, in order: what `tensor.empty` of its type takes.
llvm::SmallVector<mlir::Value> dynamicExtents(mlir::ImplicitLocOpBuilder &, mlir::Value tensor);
/// An uninitialised tensor of `type`, its dynamic extents those of `like`.
mlir::Value emptyLike(mlir::ImplicitLocOpBuilder &, mlir::RankedTensorType type, mlir::Value like);
mlir::Value number(mlir::ImplicitLocOpBuilder &, double value, mlir::Type type);

using ElementBody = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;
/// An element-wise linalg.generic with the shape of inputs[0]; `maps` where an input is read otherwise than in place.
mlir::Value elementwise(mlir::ImplicitLocOpBuilder &, mlir::ValueRange inputs, mlir::RankedTensorType type, ElementBody,
                        llvm::ArrayRef<mlir::AffineMap> maps = {});
/// The sum of body(inputs) over `dimension` of matrices (0: the samples, into [n]; 1: columns, into [batch]; -1: both,
/// into []), in f64: in index order, exact enough for any batch.
mlir::Value sumInDouble(mlir::ImplicitLocOpBuilder &, mlir::ValueRange inputs, int dimension, ElementBody);

mlir::Value activation(mlir::ImplicitLocOpBuilder &, rec::Activation, mlir::Value x);

} // namespace sparsec::codegen
