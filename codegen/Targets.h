// The targets there are, by name.
#pragma once
#include "codegen/GPU/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class DialectRegistry;
}

namespace sparsec::codegen {

struct TargetOptions {
  std::vector<std::string> architectures; // `sm_90`; none: the target's own choice
  std::string matmul;                     // fp32, tf32 or bf16; empty: fp32
  std::vector<TunedLookup> schedules;     // of lookups, of devices
};

llvm::ArrayRef<llvm::StringRef> targetNames();
/// Errors: no such target or architecture; options that the target has not. They say what is expected.
llvm::Expected<std::unique_ptr<Target>> makeTarget(llvm::StringRef name, const TargetOptions &);

/// The passes of all targets, for sparsec-opt.
void registerTargetPasses();
/// Dialects and translations that targets need beyond registerCodegenDialects.
void registerTargetDialects(mlir::DialectRegistry &);

} // namespace sparsec::codegen
