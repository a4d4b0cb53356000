// Diagnostics of the stages in the form that those of descriptions have.
#pragma once
#include "mlir/IR/Diagnostics.h"

namespace sparsec::driver {

/// `file:line:column: error: text` on stderr, notes after it, as long as this lives. `sparsec: error: text` where an op
/// has no place.
class PrintDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  explicit PrintDiagnostics(mlir::MLIRContext &context);
};

/// `file:line:column`, or `file: path` for binary descriptions, or `sparsec`.
std::string placeOf(mlir::Location loc);

} // namespace sparsec::driver
