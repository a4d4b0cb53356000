#include "codegen/CPU/Lowering.h"
#include "codegen/CPU/AbiTypes.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

int64_t EmbeddingLowering::ranks(ArrayAttr axes) {
  auto meshes = module.getOps<comm::MeshOp>();
  return meshes.empty() ? 1 : (*meshes.begin()).getExtent(axes);
}

/// This rank's samples, as this entry point knows them; null if it has not asked.
static Value batchSize(ImplicitLocOpBuilder &b) {
  auto entry = b.getInsertionBlock()->getParent()->getParentOfType<FunctionOpInterface>();
  auto sizes = entry.getFunctionBody().getOps<rec::BatchSizeOp>();
  return sizes.empty() ? Value() : (*sizes.begin()).getSize();
}

/// Whether `ids` have a bag for each sample: those of a feature, or `at` of a rec.unique.
static bool isBagPerSample(Value ids) {
  ids = rec::originOf(ids);
  if (auto unique = ids.getDefiningOp<rec::UniqueOp>())
    return ids == unique.getAt() && isBagPerSample(unique.getIds());
  return isa_and_nonnull<rec::IdsOp>(ids.getDefiningOp());
}

Value codegen::bagsOf(ImplicitLocOpBuilder &b, Value ids, Value pointer) {
  if (isBagPerSample(ids))
    if (Value size = batchSize(b))
      return size;
  RuntimeCalls calls(b);
  return calls.asIndex(
      calls.load(b.getI64Type(), pointer, layout::Jagged::type(b.getContext()), {0, layout::Jagged::bags}));
}

bool codegen::isWeighted(Value ids) {
  ids = rec::originOf(ids);
  if (auto unique = ids.getDefiningOp<rec::UniqueOp>())
    return ids == unique.getAt() && isWeighted(unique.getIds());
  auto read = ids.getDefiningOp<rec::IdsOp>();
  if (!read)
    return true; // the kernel looks
  auto feature = SymbolTable::lookupNearestSymbolFrom<rec::FeatureOp>(read, read.getFeatureAttr());
  auto separator = feature ? feature.getReader().getAs<StringAttr>("weightSeparator") : StringAttr();
  return separator && !separator.empty();
}

Value codegen::addressOf(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp kernel) {
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), kernel.getSymName());
}

Value codegen::bufferFor(ImplicitLocOpBuilder &b, Value result, Value rows) {
  auto type = cast<RankedTensorType>(result.getType());
  return RuntimeCalls(b).newBuffer(type, type.isDynamicDim(0) ? ValueRange{rows} : ValueRange{});
}

Value codegen::pointerArray(ImplicitLocOpBuilder &b, ValueRange pointers) {
  RuntimeCalls calls(b);
  Value array = calls.onStack(calls.pointer(), pointers.size());
  for (auto [i, pointer] : llvm::enumerate(pointers))
    calls.store(pointer, array, calls.pointer(), {int32_t(i)});
  return array;
}

void codegen::parallel(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp kernel, Value argument, Value n, int64_t grain) {
  RuntimeCalls calls(b);
  calls.call("sparsec_parallel", Type(), {addressOf(b, kernel), argument, calls.asI64(n), calls.constant64(grain)});
}
