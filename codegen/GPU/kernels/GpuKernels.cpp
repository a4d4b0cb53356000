#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen::device;

LLVM::GlobalOp GpuKernels::get(const std::string &name, Attribute distinction, StringRef arguments, int32_t threads,
                               Emit emit) {
  if (!distinction)
    distinction = UnitAttr::get(module.getContext());
  auto key = std::pair(StringAttr::get(module.getContext(), name), distinction);
  if (LLVM::GlobalOp found = built.lookup(key))
    return found;
  std::string unique = name;
  for (int n = 1; kernelModule(module).lookupSymbol(unique); ++n)
    unique = name + "_" + std::to_string(n);
  KernelBuilder builder(module, unique, arguments, threads);
  emit(builder);
  builder.finish();
  return built[key] = declareKernel(module, unique);
}

int64_t GpuKernels::unitsOf(LLVM::GlobalOp record) {
  StringRef name = record.getSymName().drop_front(recordName("").size());
  return kernelModule(module).lookupSymbol(name)->getAttrOfType<IntegerAttr>(unitsAttr).getInt();
}
