#include "dialect/Rec/Rec.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace sparsec::rec;

LogicalResult BatchSizeOp::verify() {
  if (int64_t(getMax()) < 1)
    return emitOpError("expected `max` to be at least 1, but got ") << int64_t(getMax());
  return success();
}

StringRef MinimizeOp::getReplacingStage() { return "differentiate"; }

LogicalResult ApplyRowsOp::verify() {
  if (getTables().size() != getRows().size())
    return emitOpError("expected a table for each list of rows, but got ")
           << getTables().size() << " tables and " << getRows().size() << " lists";
  for (auto [table, rows] : llvm::zip(getTables(), getRows())) {
    int64_t dim = cast<TableType>(table.getType()).getDim();
    if (dim != cast<RowsType>(rows.getType()).getDim())
      return emitOpError("expected rows of ") << dim << " columns, but got " << rows.getType();
  }
  return success();
}

LogicalResult HandOverOp::verify() {
  auto others = (*this)->getBlock()->getOps<HandOverOp>();
  if (!isa<FunctionOpInterface>((*this)->getParentOp()) || !llvm::hasSingleElement(others))
    return emitOpError("expected to be the only one in the body of a function");
  return success();
}

HandOverOp TakeOverOp::getHandOver() {
  auto input = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(*this, getFromAttr());
  if (!input || input.isExternal())
    return {};
  auto found = input.getFunctionBody().front().getOps<HandOverOp>();
  return found.empty() ? HandOverOp() : *found.begin();
}

Value sparsec::rec::originOf(Value value) {
  auto taken = value.getDefiningOp<TakeOverOp>();
  return taken ? taken.getHandOver().getValues()[cast<OpResult>(value).getResultNumber()] : value;
}

std::string sparsec::rec::inputEntryName(StringRef entry) { return (entry + "_input").str(); }
