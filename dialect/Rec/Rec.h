// The `rec` dialect: types, attributes and ops. Rec*.td say what each is.
#pragma once
#include "dialect/Interfaces/SparsecInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Rec/RecDialect.h.inc"
#include "dialect/Rec/RecEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Rec/RecTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Rec/RecAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialect/Rec/RecOps.h.inc"

namespace sparsec::rec {

/// The table a handle refers to; looks through ops that pass a handle on (`comm.replicate`).
mlir::FlatSymbolRefAttr tableOf(mlir::Value handle);
/// Where a value was made: what `rec.take_over` gives was made in the input entry, everything else where it stands.
mlir::Value originOf(mlir::Value value);
/// The name of the entry point that prepares the batches of `entry`.
std::string inputEntryName(llvm::StringRef entry);

} // namespace sparsec::rec
