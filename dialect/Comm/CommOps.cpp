#include "dialect/Comm/Comm.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::comm;
using sparsec::rec::JaggedType;
using sparsec::rec::RowsType;

#include "dialect/Comm/CommOpInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/Comm/CommOps.cpp.inc"

//===- mesh ------------------------------------------------------------------------------------------------------===//

LogicalResult MeshOp::verify() {
  if (getAxes().size() != getShape().size())
    return emitOpError("expected an extent for each axis, but got ")
           << getAxes().size() << " axes and " << getShape().size() << " extents";
  StringRef known[] = {"replicate", "node", "shard"};
  size_t next = 0;
  for (auto axis : getAxes().getAsRange<StringAttr>()) {
    while (next < 3 && known[next] != axis.getValue())
      ++next;
    if (next++ == 3)
      return emitOpError("expected axes out of `replicate`, `node`, `shard`, in this order, but got ") << getAxes();
  }
  for (int64_t extent : getShape())
    if (extent < 2)
      return emitOpError("expected extents of at least 2, but got ") << extent << "; an axis of 1 rank is left out";
  return success();
}

/// Tables are checked here and not in their own verifier: `rec` does not know of meshes.
LogicalResult MeshOp::verifySymbolUses(SymbolTableCollection &) {
  for (auto table : (*this)->getBlock()->getOps<rec::TableOp>()) {
    if (!table.getParts())
      continue;
    for (auto part : table.getParts()->getAsRange<rec::PartAttr>()) {
      int64_t ranks = 1;
      for (StringAttr axis : part.getAxes()) {
        if (!llvm::is_contained(getAxes(), axis))
          return table.emitOpError("expected parts over axes of the mesh, ") << getAxes() << ", but got " << part;
        ranks *= getExtent(axis.getValue());
      }
      if (!part.isReplicated() && part.getFirst() + part.getCount() > ranks)
        return table.emitOpError("expected owners among ") << ranks << " ranks, but got " << part;
    }
  }
  return success();
}

int64_t MeshOp::getExtent(StringRef axis) {
  for (auto [name, extent] : llvm::zip(getAxes().getAsRange<StringAttr>(), getShape()))
    if (name.getValue() == axis)
      return extent;
  return 1;
}

int64_t MeshOp::getExtent(ArrayAttr axes) {
  int64_t ranks = 1;
  for (auto axis : axes.getAsRange<StringAttr>())
    ranks *= getExtent(axis.getValue());
  return ranks;
}

int64_t MeshOp::getRanks() { return getExtent(getAxes()); }

//===- collectives -----------------------------------------------------------------------------------------------===//

StringRef ReplicateOp::getReplacingStage() { return "differentiate"; }
SmallVector<Value> ReplicateOp::buildGradient(OpBuilder &b, ValueRange g) {
  Type type = g[0].getType();
  if (auto rows = dyn_cast<RowsType>(type))
    type = RowsType::get(b.getContext(), rows.getDim(), true);
  auto sum = AllReduceOp::create(b, getLoc(), TypeRange{type}, ValueRange{g[0]}, getAxes());
  return {sum.getResult(0)};
}

LogicalResult AllReduceOp::verify() {
  if (getInputs().size() != getResults().size())
    return emitOpError("expected as many results as operands, but got ")
           << getResults().size() << " and " << getInputs().size();
  for (auto [input, result] : llvm::zip(getInputs(), getResults())) {
    Type expected = input.getType();
    if (auto rows = dyn_cast<RowsType>(expected))
      expected = RowsType::get(getContext(), rows.getDim(), true);
    else if (auto tensor = dyn_cast<RankedTensorType>(expected); tensor && !tensor.hasStaticShape())
      return emitOpError("expected static tensors, but got ") << tensor;
    if (result.getType() != expected)
      return emitOpError("expected a result of type ") << expected << ", but got " << result.getType();
  }
  return success();
}

LogicalResult AllToAllOp::verify() {
  bool bags = isa<JaggedType>(getInput().getType());
  if (bags ? bool(getSend()) || bool(getReceive()) : !getSend() || !getReceive())
    return emitOpError("expected counts exactly for a flat tensor");
  if (bags != bool(getItems()))
    return emitOpError("expected `items` exactly for bags");
  if (getInput().getType() != getResult().getType())
    return emitOpError("expected a result of type ") << getInput().getType() << ", but got " << getResult().getType();
  return success();
}

SmallVector<Value> AllToAllOp::buildGradient(OpBuilder &b, ValueRange g) {
  if (isa<JaggedType>(getInput().getType()))
    return {Value()};
  return {AllToAllOp::create(b, getLoc(), getInput().getType(), g[0], getReceive(), getSend(), ArrayAttr(), getAxes()),
          Value(), Value()};
}

//===- start and wait --------------------------------------------------------------------------------------------===//

/// What all starts promise: the types of `results` pending, and exactly one wait.
static LogicalResult verifyStart(Operation *start, TypedValue<PendingType> pending, TypeRange results) {
  if (TypeRange(pending.getType().getTypes()) != results)
    return start->emitOpError("expected ") << results << " pending, but got " << pending.getType();
  if (!pending.hasOneUse())
    return start->emitOpError("expected exactly one wait, but got ") << llvm::range_size(pending.getUses());
  return success();
}

LogicalResult AllToAllStartOp::verify() { return verifyStart(*this, getPending(), getInput().getType()); }
LogicalResult AllReduceStartOp::verify() { return verifyStart(*this, getPending(), getInputs().getTypes()); }

Value AllToAllOp::buildStart(OpBuilder &b) {
  if (!getSend()) // lengths travel first
    return {};
  auto pending = PendingType::get(getContext(), getResult().getType());
  return AllToAllStartOp::create(b, getLoc(), pending, getInput(), getSend(), getReceive(), getAxes());
}

Value AllReduceOp::buildStart(OpBuilder &b) {
  if (llvm::any_of(getInputs().getTypes(), llvm::IsaPred<RowsType>)) // how many they are travels first
    return {};
  auto pending = PendingType::get(getContext(), SmallVector<Type>(getResultTypes()));
  return AllReduceStartOp::create(b, getLoc(), pending, getInputs(), getAxes());
}

LogicalResult WaitOp::verify() {
  if (TypeRange(getPending().getType().getTypes()) != getResultTypes())
    return emitOpError("expected results of types ")
           << getPending().getType().getTypes() << ", but got " << getResultTypes();
  return success();
}
