// A module of kernels as machine code in this process.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace sparsec::codegen {

/// The dialects of kernels, and what translates them.
mlir::DialectRegistry kernelDialects();

/// To LLVM dialect, in place. Throws where something fails.
void lowerKernels(mlir::ModuleOp);

class Jit {
public:
  /// Lowers the module in place. `symbols` are what it calls. Throws where something fails.
  Jit(mlir::ModuleOp module, const std::vector<std::pair<std::string, void *>> &symbols = {});
  ~Jit();
  void *address(const std::string &name) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace sparsec::codegen
