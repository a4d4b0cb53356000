#include "codegen/GPU/DenseCost.h"
#include "codegen/Common/Bounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// 0: it has no bound.
static double extentOf(Value buffer, unsigned dimension) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dimension))
    return double(type.getDimSize(dimension));
  Value size;
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    size = alloc.getDynamicSizes()[type.getDynamicDimIndex(dimension)];
  else if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    size = view.getSizes()[type.getDynamicDimIndex(dimension)];
  else if (auto view = buffer.getDefiningOp<memref::SubViewOp>();
           view && view.getSourceType().getRank() == type.getRank())
    size = dyn_cast<Value>(view.getMixedSizes()[dimension]);
  return size ? double(upperBound(size).value_or(0)) : 0;
}

double codegen::bytesOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  double bytes = type.getElementTypeBitWidth() / 8.0;
  for (int64_t i = 0; i < type.getRank(); ++i)
    bytes *= extentOf(buffer, i);
  return bytes;
}

static double pointsOf(linalg::GenericOp op) {
  SmallVector<double> extents(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dimension = dyn_cast<AffineDimExpr>(expression))
        extents[dimension.getPosition()] = extentOf(operand.get(), position);
  double points = 1;
  for (double extent : extents)
    points *= extent;
  return points;
}

static double flopsOfPoint(linalg::GenericOp op) {
  return double(llvm::count_if(op.getRegion().front(), [](Operation &inner) {
    bool counts = isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
                  !inner.hasTrait<OpTrait::ConstantLike>() && !isa<CastOpInterface, arith::SelectOp>(inner);
    return counts && inner.getNumResults() == 1 && isa<FloatType>(inner.getResult(0).getType());
  }));
}

Work codegen::costOf(ArrayRef<linalg::GenericOp> ops, bool stores) {
  Work work;
  llvm::SmallPtrSet<Value, 8> read, written;
  for (linalg::GenericOp op : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value buffer = operand.get();
      bool isResult = op.isDpsInit(&operand);
      if (!isa<MemRefType>(buffer.getType()) || (isResult && op.getNumReductionLoops() > 0 && !stores))
        continue;
      if (op.payloadUsesValueFromOperand(&operand) && !written.contains(buffer) && read.insert(buffer).second)
        work.bytes += bytesOf(buffer);
      if (isResult && written.insert(buffer).second)
        work.bytes += bytesOf(buffer);
    }
    work.flops += flopsOfPoint(op) * pointsOf(op);
  }
  return work;
}
