#include "codegen/CPU/kernels/Kernels.h"
#include "codegen/CPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMFuncOp Kernels::get(const std::string &name, Attribute distinction, Emit emit) {
  if (!distinction)
    distinction = UnitAttr::get(module.getContext());
  LLVM::LLVMFuncOp &kernel = built[{StringAttr::get(module.getContext(), name), distinction}];
  if (kernel)
    return kernel;
  std::string unique = name;
  for (int n = 1; module.lookupSymbol(unique); ++n)
    unique = name + "_" + std::to_string(n);
  KernelBuilder builder(module, unique);
  emit(builder);
  return kernel = builder.finish();
}
