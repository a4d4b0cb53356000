#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec::rec;

LogicalResult ApplyRowsOp::verify() {
  if (getTables().size() != getRows().size())
    return emitOpError("expected a table for each list of rows, but got ") << getTables().size() << " tables and "
                                                                           << getRows().size() << " lists";
  for (auto [table, rows] : llvm::zip(getTables(), getRows())) {
    int64_t dim = cast<TableType>(table.getType()).getDim();
    if (dim != cast<RowsType>(rows.getType()).getDim())
      return emitOpError("expected rows of ") << dim << " columns, but got " << rows.getType();
  }
  return success();
}
