// From a checked description to the `rec` dialect.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace sparsec {

namespace description {
struct Loaded;
}

/// Builds the model as the user wrote it: whole batch, no ranks. The module holds a symbol for each feature, table,
/// label, task and parameter, `@schedule`, one `rec.training`, and `@train`; `rec-derive-entries` adds the other
/// entry points. Shorthands (mlp, cross, fm, scaled initial values) are gone. Every op has the place of its block.
///
/// `model` must have passed `checkSupported`; what the import does not know is an error at its place all the same.
/// Null after errors, which go to the context's diagnostic handler.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, const description::Loaded &model);

} // namespace sparsec
