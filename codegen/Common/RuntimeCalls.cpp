#include "codegen/Common/RuntimeCalls.h"
#include "sparsec/abi.h"

using namespace mlir;
using namespace sparsec::codegen;

Value RuntimeCalls::context() {
  Operation *function = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  return function->getRegion(0).getArgument(0);
}

Value RuntimeCalls::call(StringRef name, Type result, ValueRange arguments) {
  SmallVector<Value> operands = {context()};
  llvm::append_range(operands, arguments);
  auto type = LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()),
                                          SmallVector<Type>(ValueRange(operands).getTypes()));
  auto module = context().getParentBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(b, name, type);
  }
  auto call = LLVM::CallOp::create(b, function, operands);
  return result ? call.getResult() : Value();
}

Value RuntimeCalls::callChecked(StringRef name, Type result, ValueRange arguments) {
  Value value = call(name, result, arguments);
  value.getDefiningOp()->setAttr(checkedAttr, b.getUnitAttr());
  return value;
}
LLVM::CallOp RuntimeCalls::check(StringRef name, ValueRange arguments) {
  return callChecked(name, b.getI32Type(), arguments).getDefiningOp<LLVM::CallOp>();
}

Value RuntimeCalls::constant(int32_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
Value RuntimeCalls::constant64(int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }
Value RuntimeCalls::null() { return LLVM::ZeroOp::create(b, pointer()); }

Value RuntimeCalls::asI64(Value index) {
  return index.getType().isIndex() ? arith::IndexCastOp::create(b, b.getI64Type(), index).getResult() : index;
}
Value RuntimeCalls::asIndex(Value i64) {
  return i64.getType().isIndex() ? i64 : arith::IndexCastOp::create(b, b.getIndexType(), i64).getResult();
}

Value RuntimeCalls::address(Value value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    value = bufferization::ToBufferOp::create(b, type, value, /*read_only=*/true);
  }
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, value);
  return LLVM::IntToPtrOp::create(b, pointer(), asI64(index));
}

Value RuntimeCalls::newBuffer(RankedTensorType type, ValueRange extents) {
  return memref::AllocOp::create(b, MemRefType::get(type.getShape(), type.getElementType()), extents,
                                 b.getI64IntegerAttr(64));
}

Value RuntimeCalls::asTensor(Value buffer) {
  auto memref = cast<MemRefType>(buffer.getType());
  return bufferization::ToTensorOp::create(b, RankedTensorType::get(memref.getShape(), memref.getElementType()), buffer,
                                           /*restrict=*/true, /*writable=*/true);
}

Value RuntimeCalls::memrefAt(Value pointer, MemRefType type, ValueRange extents) {
  // A descriptor by hand, as memory the runtime owns has no allocation in the IR. A view of bytes keeps the extents
  // visible to folding.
  auto i64 = b.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, 1);
  auto struct_ =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {this->pointer(), this->pointer(), i64, array, array});
  Value descriptor = LLVM::PoisonOp::create(b, struct_);
  auto insert = [&](Value v, ArrayRef<int64_t> at) { descriptor = LLVM::InsertValueOp::create(b, descriptor, v, at); };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant64(0), {2});
  insert(constant64(std::numeric_limits<int64_t>::max()), {3, 0});
  insert(constant64(1), {4, 0});
  auto bytesType = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value bytes = UnrealizedConversionCastOp::create(b, TypeRange{bytesType}, ValueRange{descriptor}).getResult(0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return memref::ViewOp::create(b, type, bytes, zero, extents);
}

Value RuntimeCalls::tensorAt(Value pointer, RankedTensorType type, ValueRange extents) {
  Value buffer = memrefAt(pointer, MemRefType::get(type.getShape(), type.getElementType()), extents);
  return bufferization::ToTensorOp::create(b, type, buffer, /*restrict=*/true, /*writable=*/false);
}

Value RuntimeCalls::onStack(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(context().getParentBlock());
  Value n = constant64(count);
  return LLVM::AllocaOp::create(b, pointer(), type, n, /*alignment=*/8);
}

static Value element(ImplicitLocOpBuilder &b, Value base, Type type, ArrayRef<int32_t> path) {
  SmallVector<LLVM::GEPArg> arguments(path.begin(), path.end());
  return LLVM::GEPOp::create(b, base.getType(), type, base, arguments);
}
void RuntimeCalls::store(Value value, Value base, Type type, ArrayRef<int32_t> path) {
  LLVM::StoreOp::create(b, value, element(b, base, type, path));
}
Value RuntimeCalls::load(Type result, Value base, Type type, ArrayRef<int32_t> path) {
  return LLVM::LoadOp::create(b, result, element(b, base, type, path));
}

Value RuntimeCalls::axes(ArrayAttr names) {
  int32_t mask = 0;
  for (auto name : names.getAsRange<StringAttr>())
    mask |= llvm::StringSwitch<int32_t>(name.getValue())
                .Case("replicate", SPARSEC_AXIS_REPLICATE)
                .Case("node", SPARSEC_AXIS_NODE)
                .Case("shard", SPARSEC_AXIS_SHARD);
  return constant(mask);
}
