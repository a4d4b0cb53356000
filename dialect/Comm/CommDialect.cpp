#include "dialect/Comm/Comm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sparsec::comm;

#include "dialect/Comm/CommDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Comm/CommTypes.cpp.inc"

void CommDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Comm/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Comm/CommOps.cpp.inc"
      >();
}
