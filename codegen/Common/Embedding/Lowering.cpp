#include "codegen/Common/Embedding/Lowering.h"
#include "codegen/Common/Embedding/AbiTypes.h"

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

LookupClass codegen::lookupClass(Value ids, int64_t dim) {
  ids = rec::originOf(ids);
  if (auto unique = ids.getDefiningOp<rec::UniqueOp>())
    return ids == unique.getAt() ? lookupClass(unique.getIds(), dim) : LookupClass{dim, false, 1};
  auto read = ids.getDefiningOp<rec::IdsOp>();
  if (!read)
    return {dim, true, 0}; // the kernel looks
  auto feature = SymbolTable::lookupNearestSymbolFrom<rec::FeatureOp>(read, read.getFeatureAttr());
  if (!feature)
    return {dim, false, 0};
  auto separator = feature.getReader().getAs<StringAttr>("weightSeparator");
  return {dim, separator && !separator.empty(), feature.getBagLength().convertToDouble()};
}

Value codegen::addressOf(ImplicitLocOpBuilder &b, FlatSymbolRefAttr kernel) {
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), kernel.getValue());
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
