#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "codegen/GPU/kernels/Segments.h"

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

LLVM::GlobalOp GpuKernels::finishedSegments(const std::string &name, int64_t dim, Attribute distinction,
                                            StringRef arguments, Emit finish) {
  std::string finishing;
  get(name + "_finish", distinction, arguments, 128, [&](KernelBuilder &b) {
    finish(b);
    finishing = b.name().str();
  });
  return get(name, distinction, sumPiecesArguments, 128, [&](KernelBuilder &b) {
    sumPieces(b, dim);
    b.setSplit(chunkPositions, finishing);
  });
}

int64_t GpuKernels::unitsOf(LLVM::GlobalOp record) {
  StringRef name = record.getSymName().drop_front(recordName("").size());
  return kernelModule(module).lookupSymbol(name)->getAttrOfType<IntegerAttr>(unitsAttr).getInt();
}
