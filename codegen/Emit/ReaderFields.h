// What a reader must know of columns: the dictionaries of `rec.feature`, `rec.label` and `rec.training` as structs.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "sparsec/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sparsec::codegen {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Keys are the field names of the struct; a field that is absent keeps its default. An unknown key or a value of
/// another type is an error.
mlir::LogicalResult readFields(mlir::DictionaryAttr from, FeatureColumn &to, EmitError emitError);
mlir::LogicalResult readFields(mlir::DictionaryAttr from, LabelColumn &to, EmitError emitError);
mlir::LogicalResult readFields(mlir::DictionaryAttr from, DataFormat &to, EmitError emitError);

} // namespace sparsec::codegen
