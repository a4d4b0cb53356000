#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::rec;

#define GET_OP_CLASSES
#include "dialect/Rec/RecOps.cpp.inc"

FlatSymbolRefAttr sparsec::rec::tableOf(Value handle) {
  while (Operation *op = handle.getDefiningOp()) {
    if (auto source = dyn_cast<HandleOp>(op))
      return source.getTableAttr();
    if (op->getNumOperands() != 1)
      break;
    handle = op->getOperand(0);
  }
  return {};
}

LogicalResult FeatureOp::verify() {
  if (getWidth() < 1)
    return emitOpError("expected `width` to be at least 1, but got ") << getWidth();
  if (int64_t(getIds()) < 0)
    return emitOpError("expected `ids` to be at least 0, but got ") << int64_t(getIds());
  if (getBagLength().convertToDouble() < 0)
    return emitOpError("expected `bag_length` to be at least 0, but got ") << getBagLength().convertToDouble();
  return success();
}

LogicalResult TrainingOp::verify() {
  if (int64_t(getBatch()) < 1)
    return emitOpError("expected `batch` to be at least 1, but got ") << int64_t(getBatch());
  if (int64_t(getEvalBatch()) < 1)
    return emitOpError("expected `eval_batch` to be at least 1, but got ") << int64_t(getEvalBatch());
  return success();
}

static LogicalResult verifyInit(Operation *op, InitAttr init, int64_t elements) {
  int64_t given = init.getValues() ? init.getValues().size() : 0;
  if (given && given != elements)
    return op->emitOpError("has ") << elements << " elements, but `init` lists " << given;
  return success();
}

LogicalResult TableOp::verify() {
  int64_t rows = getRows(), dim = getDim();
  if (rows < 1 || rows > (int64_t(1) << 40))
    return emitOpError("expected `rows` to lie in [1, 2^40], but got ") << rows;
  if (dim < 1)
    return emitOpError("expected `dim` to be at least 1, but got ") << dim;
  if (failed(verifyInit(*this, getInit(), rows * dim)))
    return failure();
  if (!getParts())
    return success();
  int64_t next = 0;
  for (auto [i, attribute] : llvm::enumerate(*getParts())) {
    auto part = cast<PartAttr>(attribute);
    if (part.getCol0() != next || part.getDim() < 1)
      return emitOpError("expected part ") << i << " to begin at column " << next << ", but it has columns "
                                           << part.getCol0() << " + " << part.getDim();
    if (part.getFirst() < 0 || part.getCount() < 1)
      return emitOpError("expected part ")
             << i << " to have an owner, but got ranks " << part.getFirst() << " + " << part.getCount();
    next += part.getDim();
  }
  if (next != dim)
    return emitOpError("expected parts to cover ") << dim << " columns, but they cover " << next;
  return success();
}

LogicalResult ParamOp::verify() {
  auto type = getTensorType();
  if (!type.hasStaticShape() || !type.getElementType().isF32())
    return emitOpError("expected a static f32 tensor, but got ") << type;
  if (getOptimizer().needsRowNorm())
    return emitOpError("expected an optimizer for dense parameters, but `")
           << getOptimizer().getRule() << "` is for tables only";
  return verifyInit(*this, getInit(), type.getNumElements());
}
