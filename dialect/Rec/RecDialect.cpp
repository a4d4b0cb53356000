#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sparsec::rec;

#include "dialect/Rec/RecDialect.cpp.inc"
#include "dialect/Rec/RecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Rec/RecTypes.cpp.inc"

void RecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Rec/RecTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/Rec/RecOps.cpp.inc"
      >();
}

// Two extents as in a shaped type: `2x?`.
static ParseResult parseExtents(AsmParser &parser, int64_t &first, int64_t &second, bool dynamic) {
  SmallVector<int64_t> extents;
  if (parser.parseDimensionList(extents, dynamic, /*withTrailingX=*/false))
    return failure();
  if (extents.size() != 2)
    return parser.emitError(parser.getCurrentLocation(), "expected two extents, such as `2x4`");
  first = extents[0];
  second = extents[1];
  return success();
}

Type JaggedType::parse(AsmParser &parser) {
  int64_t sources, items;
  if (parser.parseLess() || parseExtents(parser, sources, items, /*dynamic=*/true) || parser.parseGreater())
    return {};
  return get(parser.getContext(), sources, items);
}

void JaggedType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList({getSources(), getItems()});
  printer << ">";
}

Type TableType::parse(AsmParser &parser) {
  int64_t rows, dim;
  if (parser.parseLess() || parseExtents(parser, rows, dim, /*dynamic=*/false) || parser.parseGreater())
    return {};
  return get(parser.getContext(), rows, dim);
}

void TableType::print(AsmPrinter &printer) const { printer << "<" << getRows() << "x" << getDim() << ">"; }

Type RowsType::parse(AsmParser &parser) {
  int64_t dim;
  if (parser.parseLess() || parser.parseInteger(dim))
    return {};
  bool summed = succeeded(parser.parseOptionalComma());
  if (summed && parser.parseKeyword("summed"))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), dim, summed);
}

void RowsType::print(AsmPrinter &printer) const {
  printer << "<" << getDim() << (getSummed() ? ", summed" : "") << ">";
}
