#include "dialect/Rec/Rec.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sparsec::rec;

#define GET_ATTRDEF_CLASSES
#include "dialect/Rec/RecAttrs.cpp.inc"

void RecDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Rec/RecAttrs.cpp.inc"
      >();
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef kind, FloatAttr value,
                               DenseF64ArrayAttr values) {
  if (!llvm::is_contained({"constant", "uniform", "normal", "values"}, kind))
    return emitError() << "expected `constant`, `uniform`, `normal` or `values`, but got `" << kind << "`";
  if (bool(values) != (kind == "values"))
    return emitError() << "expected a list of values exactly if the kind is `values`, but `" << kind << "` has "
                       << (values ? "one" : "none");
  return success();
}

bool PartAttr::fillsNode(int64_t shards) const {
  return shards > 1 && getAxes().size() == 2 && getAxes()[0] == "node" && getAxes()[1] == "shard" &&
         getCount() == shards && getFirst() % shards == 0;
}
