#include "codegen/CPU/kernels/KernelBuilder.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace sparsec::codegen;

KernelBuilder::KernelBuilder(ModuleOp module, StringRef name)
    : ImplicitLocOpBuilder(module.getLoc(), module.getContext()) {
  setInsertionPointToEnd(module.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), {pointer(), getI64Type(), getI64Type()});
  function = LLVM::LLVMFuncOp::create(*this, name, type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(*this);
  argument = entry->getArgument(0);
  begin = entry->getArgument(1);
  end = entry->getArgument(2);
  setInsertionPointToStart(entry);
}

LLVM::LLVMFuncOp KernelBuilder::finish() {
  LLVM::ReturnOp::create(*this, ValueRange());
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  return function;
}

Value KernelBuilder::i64(int64_t value) { return arith::ConstantOp::create(*this, getI64IntegerAttr(value)); }
Value KernelBuilder::f32(double value) { return arith::ConstantOp::create(*this, getF32FloatAttr(float(value))); }

Value KernelBuilder::isNull(Value value) {
  Value null = LLVM::ZeroOp::create(*this, pointer());
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq, value, null);
}

Value KernelBuilder::field(Type result, Value base, LLVM::LLVMStructType type, int32_t index) {
  Value place = LLVM::GEPOp::create(*this, pointer(), type, base, ArrayRef<LLVM::GEPArg>{0, index});
  return LLVM::LoadOp::create(*this, result, place);
}

Value KernelBuilder::at(Value base, Type element, Value index) {
  return LLVM::GEPOp::create(*this, pointer(), element, base, ArrayRef<LLVM::GEPArg>{index});
}
Value KernelBuilder::load(Type element, Value base, Value index) {
  return LLVM::LoadOp::create(*this, element, at(base, element, index));
}
void KernelBuilder::store(Value value, Value base, Value index) {
  LLVM::StoreOp::create(*this, value, at(base, value.getType(), index));
}
Value KernelBuilder::row(Value base, int64_t dim, Value index) {
  return at(base, LLVM::LLVMArrayType::get(getF32Type(), dim), index);
}

void KernelBuilder::prefetch(Value pointer, int64_t floats, bool aligned, bool write) {
  auto line = [&](int64_t byte) {
    Value place = LLVM::GEPOp::create(*this, this->pointer(), getI8Type(), pointer,
                                      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(byte))});
    LLVM::Prefetch::create(*this, place, write ? 1 : 0, /*hint=*/3, /*cache=*/1);
  };
  for (int64_t byte = 0; byte < floats * 4; byte += 64)
    line(byte);
  if (!aligned) // one line more where the row starts inside a line
    line(floats * 4 - 1);
}

SmallVector<Value> KernelBuilder::loop(Value from, Value to, ValueRange carried, Body body) {
  auto loop = scf::ForOp::create(*this, from, to, i64(1), carried);
  InsertionGuard guard(*this);
  if (carried.empty())
    setInsertionPoint(loop.getBody()->getTerminator());
  else
    setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return SmallVector<Value>(loop.getResults());
}
void KernelBuilder::loop(Value from, Value to, llvm::function_ref<void(Value)> body) {
  loop(from, to, ValueRange(), [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::ifElse(Value condition, TypeRange results, Branch then, Branch otherwise) {
  auto branch = scf::IfOp::create(*this, results, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  for (auto [block, fill] : {std::pair(branch.thenBlock(), then), std::pair(branch.elseBlock(), otherwise)}) {
    if (results.empty())
      setInsertionPoint(block->getTerminator());
    else
      setInsertionPointToEnd(block);
    SmallVector<Value> values = fill();
    if (!results.empty())
      scf::YieldOp::create(*this, values);
  }
  return SmallVector<Value>(branch.getResults());
}

int64_t sparsec::codegen::rowsAhead(int64_t dim) { return std::clamp<int64_t>(2048 / dim, 2, 16); }
