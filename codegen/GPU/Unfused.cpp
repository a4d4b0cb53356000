// The step that the roofline sheet compares with: a launch for each dense op of the model.
#include "codegen/GPU/Roofline.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static bool isMatrix(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

/// A dense op that is a kernel: neither a product, nor about embeddings (those say themselves how many they are), nor
/// a message, nor what only names memory of the step.
static bool isLaunch(Operation &op) {
  return isa<rec::RecDialect>(op.getDialect()) && !isa<rec::LinearOp, rec::MatmulOp, rec::OutputOp>(op) &&
         llvm::any_of(op.getOperandTypes(), isMatrix) &&
         llvm::none_of(op.getOperandTypes(), llvm::IsaPred<rec::JaggedType, rec::RowsType, rec::TableType>);
}

/// Bytes of tensors; what has no fixed extent has one row for each sample.
static double bytesOf(TypeRange types, double samples) {
  double bytes = 0;
  for (Type type : types)
    if (isMatrix(type)) {
      double floats = 1;
      for (int64_t extent : cast<RankedTensorType>(type).getShape())
        floats *= ShapedType::isDynamic(extent) ? samples : double(extent);
      bytes += 4 * floats;
    }
  return bytes;
}

/// What an update reads and writes beside the gradient.
static double bytesOfParam(rec::ApplyOp op) {
  auto param = SymbolTable::lookupNearestSymbolFrom<rec::ParamOp>(op, op.getParamAttr());
  double fields = 1 + double(param.getOptimizer().getStates().size());
  return 2 * 4 * fields * double(param.getTensorType().getNumElements());
}

Unfused codegen::countUnfused(func::FuncOp entry) {
  Unfused all;
  for (auto size : entry.getOps<rec::BatchSizeOp>())
    all.samples = size.getMax();
  for (Operation &op : entry.front())
    if (isLaunch(op)) {
      all.launches += 1;
      all.bytes +=
          bytesOf(op.getOperandTypes(), double(all.samples)) + bytesOf(op.getResultTypes(), double(all.samples));
      if (auto apply = dyn_cast<rec::ApplyOp>(op))
        all.bytes += bytesOfParam(apply);
    }
  return all;
}
