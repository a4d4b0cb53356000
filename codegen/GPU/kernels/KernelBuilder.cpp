#include "codegen/GPU/kernels/KernelBuilder.h"
#include "codegen/GPU/KernelNames.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

gpu::GPUModuleOp device::kernelModule(ModuleOp module) {
  if (auto found = module.lookupSymbol<gpu::GPUModuleOp>(moduleName))
    return found;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  return gpu::GPUModuleOp::create(b, module.getLoc(), moduleName);
}

LLVM::GlobalOp device::declareKernel(ModuleOp module, StringRef name) {
  std::string symbol = recordName(name);
  if (auto found = module.lookupSymbol<LLVM::GlobalOp>(symbol))
    return found;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(b, module.getLoc(), layout::Kernel::type(module.getContext()), /*isConstant=*/true,
                                LLVM::Linkage::External, symbol, Attribute());
}

KernelBuilder::KernelBuilder(ModuleOp module, StringRef name, StringRef arguments, int32_t threads)
    : ImplicitLocOpBuilder(module.getLoc(), module.getContext()), threads(threads) {
  setInsertionPointToEnd(kernelModule(module).getBody());
  SmallVector<Type> types;
  for (char letter : arguments)
    types.push_back(letter == 'p' ? pointer() : letter == 'l' ? Type(getI64Type()) : Type(getF32Type()));
  function = gpu::GPUFuncOp::create(*this, name, getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  function.setKnownBlockSizeAttr(getDenseI32ArrayAttr({threads, 1, 1}));
  setInsertionPointToStart(&function.getBody().front());
}

void KernelBuilder::setSplit(int64_t chunk, StringRef then) {
  function->setAttr(chunkAttr, getI32IntegerAttr(int32_t(chunk)));
  function->setAttr(thenAttr, FlatSymbolRefAttr::get(getContext(), then));
}

gpu::GPUFuncOp KernelBuilder::finish() {
  gpu::ReturnOp::create(*this);
  return function;
}

void KernelBuilder::setPlace(const Here &here) {
  // Paths as they are in the project, wherever it was built.
  static const StringRef mine = __FILE__,
                         root = mine.drop_back(StringRef("codegen/GPU/kernels/KernelBuilder.cpp").size());
  StringRef file = here.file_name();
  file.consume_front(root);
  setLoc(FileLineColLoc::get(getContext(), file, here.line(), here.column()));
}

Value KernelBuilder::id(Value index) { return arith::IndexCastOp::create(*this, getI64Type(), index); }
Value KernelBuilder::thread() { return id(gpu::ThreadIdOp::create(*this, gpu::Dimension::x)); }
Value KernelBuilder::block() { return id(gpu::BlockIdOp::create(*this, gpu::Dimension::x)); }
Value KernelBuilder::blocks() { return id(gpu::GridDimOp::create(*this, gpu::Dimension::x)); }

Value KernelBuilder::i64(int64_t value) { return arith::ConstantOp::create(*this, getI64IntegerAttr(value)); }
Value KernelBuilder::i32(int32_t value) { return arith::ConstantOp::create(*this, getI32IntegerAttr(value)); }
Value KernelBuilder::f32(double value) { return arith::ConstantOp::create(*this, getF32FloatAttr(float(value))); }

Value KernelBuilder::isNull(Value value) {
  Value null = LLVM::ZeroOp::create(*this, value.getType());
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq, value, null);
}
Value KernelBuilder::isAligned(Value pointer, int64_t bytes) {
  Value address = LLVM::PtrToIntOp::create(*this, getI64Type(), pointer);
  return equal(both(address, i64(bytes - 1)), i64(0));
}

Value KernelBuilder::at(Value base, Type element, Value index) {
  return LLVM::GEPOp::create(*this, base.getType(), element, base, ArrayRef<LLVM::GEPArg>{index});
}

static unsigned sizeOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return unsigned(vector.getNumElements()) * sizeOf(vector.getElementType());
  return isa<LLVM::LLVMPointerType>(type) ? 8 : type.getIntOrFloatBitWidth() / 8;
}

Value KernelBuilder::load(Type element, Value address, Memory memory, Here here) {
  setPlace(here);
  return LLVM::LoadOp::create(*this, element, address, sizeOf(element), /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/memory == Memory::constant);
}
Value KernelBuilder::load(Type element, Value base, Value index, Memory memory, Here here) {
  return load(element, at(base, element, index), memory, here);
}
void KernelBuilder::store(Value value, Value address, Here here) {
  setPlace(here);
  LLVM::StoreOp::create(*this, value, address, sizeOf(value.getType()));
}
void KernelBuilder::store(Value value, Value base, Value index, Here here) {
  store(value, at(base, value.getType(), index), here);
}

Value KernelBuilder::field(Value base, LLVM::LLVMStructType type, int32_t index, Here here) {
  Value place = LLVM::GEPOp::create(*this, base.getType(), type, base, ArrayRef<LLVM::GEPArg>{0, index});
  return load(type.getBody()[index], place, Memory::constant, here);
}
Value KernelBuilder::field(Value base, LLVM::LLVMStructType type, int32_t index, int32_t element, Here here) {
  Value place = LLVM::GEPOp::create(*this, base.getType(), type, base, ArrayRef<LLVM::GEPArg>{0, index, element});
  return load(cast<LLVM::LLVMArrayType>(type.getBody()[index]).getElementType(), place, Memory::constant, here);
}

Value KernelBuilder::shared(int64_t bytes) {
  int64_t before = 0;
  if (!sharedMemory) {
    OpBuilder atStart = OpBuilder::atBlockBegin(function->getBlock());
    sharedMemory = LLVM::GlobalOp::create(atStart, getLoc(), LLVM::LLVMArrayType::get(getI8Type(), 0),
                                          /*isConstant=*/false, LLVM::Linkage::Internal, sharedName(function.getName()),
                                          Attribute(), /*alignment=*/16, layout::sharedMemory);
  } else {
    before = (cast<LLVM::LLVMArrayType>(sharedMemory.getGlobalType()).getNumElements() + 15) / 16 * 16;
  }
  sharedMemory.setGlobalType(LLVM::LLVMArrayType::get(getI8Type(), before + bytes));
  Value base = LLVM::AddressOfOp::create(*this, pointer(layout::sharedMemory), sharedMemory.getSymName());
  return at(base, getI8Type(), i64(before));
}

void KernelBuilder::barrier(Here here) {
  setPlace(here);
  gpu::BarrierOp::create(*this);
}
// Always over the whole warp: with a smaller width the mask of who takes part would leave out the upper lanes.
Value KernelBuilder::shuffleXor(Value value, int32_t mask, Here here) {
  setPlace(here);
  return gpu::ShuffleOp::create(*this, value, i32(mask), i32(32), gpu::ShuffleMode::XOR).getShuffleResult();
}
Value KernelBuilder::shuffleFrom(Value value, Value lane, Here here) {
  setPlace(here);
  return gpu::ShuffleOp::create(*this, value, lane, i32(32), gpu::ShuffleMode::IDX).getShuffleResult();
}

KernelBuilder::Values KernelBuilder::loop(Value from, Value to, int64_t step, ValueRange carried, Body body) {
  auto loop = scf::ForOp::create(*this, from, to, i64(step), carried);
  InsertionGuard guard(*this);
  if (carried.empty())
    setInsertionPoint(loop.getBody()->getTerminator());
  else
    setInsertionPointToEnd(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return Values(loop.getResults());
}
void KernelBuilder::loop(Value from, Value to, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(from, to, step, ValueRange(), [&](Value index, ValueRange) {
    body(index);
    return Values();
  });
}

KernelBuilder::Values KernelBuilder::ifElse(Value condition, TypeRange results, Branch then, Branch otherwise) {
  auto branch = scf::IfOp::create(*this, results, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  for (auto [block, fill] : {std::pair(branch.thenBlock(), then), std::pair(branch.elseBlock(), otherwise)}) {
    if (results.empty())
      setInsertionPoint(block->getTerminator());
    else
      setInsertionPointToEnd(block);
    Values values = fill();
    if (!results.empty())
      scf::YieldOp::create(*this, values);
  }
  return Values(branch.getResults());
}
void KernelBuilder::ifThen(Value condition, llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(*this, TypeRange(), condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
}

KernelBuilder::Values KernelBuilder::repeat(ValueRange start, llvm::function_ref<Value(ValueRange)> goesOn,
                                            llvm::function_ref<Values(ValueRange)> body) {
  SmallVector<Type> types(start.getTypes());
  SmallVector<Location> places(types.size(), getLoc());
  auto loop = scf::WhileOp::create(*this, types, start);
  InsertionGuard guard(*this);
  Block *before = createBlock(&loop.getBefore(), {}, types, places);
  Value condition = goesOn(before->getArguments());
  scf::ConditionOp::create(*this, condition, before->getArguments());
  Block *after = createBlock(&loop.getAfter(), {}, types, places);
  Values next = body(after->getArguments());
  scf::YieldOp::create(*this, next);
  return Values(loop.getResults());
}

Value KernelBuilder::last(Value low, Value high, llvm::function_ref<Value(Value)> holds) {
  auto more = [&](ValueRange range) { return less(add(range[0], i64(1)), range[1]); };
  return repeat(ValueRange{low, high}, more,
                [&](ValueRange range) {
                  Value middle = arith::ShRUIOp::create(*this, add(range[0], range[1]), i64(1));
                  Value below = holds(middle);
                  return Values{select(below, middle, range[0]), select(below, range[1], middle)};
                })
      .front();
}

Value KernelBuilder::firstNot(Value low, Value high, llvm::function_ref<Value(Value)> holds) {
  auto goesOn = [&](ValueRange at) {
    Value inside = less(at.front(), high);
    auto ask = [&] { return Values{holds(at.front())}; };
    auto no = [&] { return Values{arith::ConstantOp::create(*this, getBoolAttr(false))}; };
    return ifElse(inside, getI1Type(), ask, no).front();
  };
  return repeat(low, goesOn, [&](ValueRange at) { return Values{add(at.front(), i64(1))}; }).front();
}
