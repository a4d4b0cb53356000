#include "codegen/GPU/DenseLaunch.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/Launch.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

//===- words -----------------------------------------------------------------------------------------------------===//

size_t DenseLaunch::addWord(ImplicitLocOpBuilder &host, Value scalar) {
  Type type = scalar.getType();
  auto i64 = host.getI64Type();
  if (type.isF64())
    scalar = arith::BitcastOp::create(host, i64, scalar);
  else if (type.isIndex())
    scalar = RuntimeCalls(host).asI64(scalar);
  else if (type.isInteger() && type != i64)
    scalar = arith::ExtUIOp::create(host, i64, scalar);
  words.push_back(scalar);
  buffers.push_back({});
  return words.size() - 1;
}

Value codegen::scalarOf(DenseBuilder &b, Value word, Type type) {
  if (word.getType() == type)
    return word;
  if (type.isF64())
    return arith::BitcastOp::create(b, type, word);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, word);
  return arith::TruncIOp::create(b, type, word);
}

size_t DenseLaunch::addPointer(ImplicitLocOpBuilder &host, Value buffer, int64_t offset) {
  RuntimeCalls calls(host);
  Value address = calls.address(buffer);
  if (offset)
    address = LLVM::GEPOp::create(host, calls.pointer(), cast<MemRefType>(buffer.getType()).getElementType(), address,
                                  ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  words.push_back(address);
  buffers.push_back(buffer);
  return words.size() - 1;
}

//===- kernels ---------------------------------------------------------------------------------------------------===//

static constexpr StringLiteral unnamed = "dense";

/// The words of the member that runs `block`, then its first block: of the last that begins at or before it. Selected
/// one after the other: a search that branches keeps the words of all members in registers.
static SmallVector<Value> wordsOf(DenseBuilder &b, ArrayRef<SmallVector<Value>> members, ValueRange first,
                                  Value block) {
  SmallVector<Value> words = members.front();
  for (auto [next, begin] : llvm::zip(members.drop_front(), first)) {
    Value isBefore = b.less(block, begin);
    for (auto [word, other] : llvm::zip(words, next))
      if (word != other)
        word = b.select(isBefore, word, other);
  }
  return words;
}

/// Whether two words of the host are the same number.
static bool isSame(Value one, Value other) {
  Operation *op = one.getDefiningOp(), *otherOp = other.getDefiningOp();
  if (one == other || !op || !otherOp || !isPure(op))
    return one == other;
  return OperationEquivalence::isEquivalentTo(
      op, otherOp, [](Value x, Value y) { return success(isSame(x, y)); }, /*markEquivalent=*/nullptr,
      OperationEquivalence::IgnoreLocations);
}

/// Whether a word is made of the entry point's argument, the number of the step. Such words are not passed: kernels
/// read them in the device's memory, and steps are the same launches.
static bool isOfStep(Value word) {
  if (auto argument = dyn_cast<BlockArgument>(word))
    return argument.getType().isInteger(64) && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = word.getDefiningOp();
  return isPure(op) && llvm::any_of(op->getOperands(), isOfStep);
}

/// Words that all members share are passed once: for each member and word, which argument it is.
static SmallVector<SmallVector<size_t>> argumentsOf(ArrayRef<DenseLaunch *> members, SmallVectorImpl<Value> &words) {
  SmallVector<SmallVector<size_t>> places(members.size());
  for (size_t k = 0; k < members.front()->words.size(); ++k) {
    bool shared =
        llvm::all_of(members, [&](DenseLaunch *member) { return isSame(member->words[k], members[0]->words[k]); });
    for (auto [i, member] : llvm::enumerate(members)) {
      if (i == 0 || !shared)
        words.push_back(member->words[k]);
      places[i].push_back(shared && i > 0 ? places[0][k] : words.size() - 1);
    }
  }
  return places;
}

size_t codegen::countArguments(ArrayRef<DenseLaunch *> members) {
  SmallVector<Value> words;
  argumentsOf(members, words);
  return words.size() + members.size() - 1;
}

/// What the launches only read stays as it is while the kernel runs.
static void markConstant(gpu::GPUFuncOp kernel, const DenseMemory &memory, ArrayRef<DenseLaunch *> members,
                         ArrayRef<SmallVector<size_t>> places) {
  UnitAttr unit = UnitAttr::get(kernel.getContext());
  for (auto [i, member] : llvm::enumerate(members))
    for (auto [k, buffer] : llvm::enumerate(member->buffers)) {
      bool changes = !buffer || llvm::any_of(members, [&, buffer = buffer](DenseLaunch *other) {
        return memory.conflict({{memory.rootOf(buffer), false, buffer}}, other->accesses);
      });
      if (changes)
        continue;
      kernel.setArgAttr(places[i][k], "llvm.noalias", unit);
      kernel.setArgAttr(places[i][k], "llvm.readonly", unit);
    }
}

gpu::GPUFuncOp DenseKernels::build(const DenseMemory &memory, ArrayRef<DenseLaunch *> members) {
  DenseLaunch &front = *members.front();
  SmallVector<Value> words;
  auto places = argumentsOf(members, words);
  std::string arguments;
  for (Value word : words)
    arguments += isOfStep(word) || isa<LLVM::LLVMPointerType>(word.getType()) ? 'p'
                 : word.getType().isF32()                                     ? 'f'
                                                                              : 'l';
  arguments.append(members.size() - 1, 'l');

  DenseBuilder b(module, unnamed, arguments, denseThreads);
  SmallVector<Value> given;
  for (auto [k, word] : llvm::enumerate(words))
    given.push_back(isOfStep(word) ? b.load(word.getType(), b.argument(k), device::Memory::constant) : b.argument(k));
  SmallVector<SmallVector<Value>> values;
  for (auto &place : places)
    values.push_back(llvm::map_to_vector(place, [&](size_t k) { return given[k]; }));
  SmallVector<Value> first;
  for (size_t i = 1; i < members.size(); ++i) {
    first.push_back(b.argument(words.size() + i - 1));
    values[i].push_back(first.back());
  }
  Value block = b.block();
  if (members.size() > 1) {
    values[0].push_back(b.i64(0));
    values[0] = wordsOf(b, values, first, block);
    block = b.sub(block, values[0].pop_back_val());
  }
  front.emit(b, values[0], block);
  gpu::GPUFuncOp kernel = b.finish();
  markConstant(kernel, memory, members, places);
  return kernel;
}

static std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().useLocalScope().printGenericOpForm());
  return text;
}

static LLVM::GlobalOp sharedMemoryOf(gpu::GPUFuncOp kernel) {
  return SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
      kernel, StringAttr::get(kernel.getContext(), device::sharedName(kernel.getName())));
}
static void erase(gpu::GPUFuncOp kernel) {
  LLVM::GlobalOp shared = sharedMemoryOf(kernel);
  kernel.erase();
  if (shared)
    shared.erase();
}
static void rename(gpu::GPUFuncOp kernel, StringRef name) {
  if (LLVM::GlobalOp shared = sharedMemoryOf(kernel)) {
    shared.setSymName(device::sharedName(name));
    kernel.walk([&](LLVM::AddressOfOp address) { address.setGlobalName(shared.getSymName()); });
  }
  kernel.setName(name);
}

std::string DenseKernels::codeOf(const DenseMemory &memory, DenseLaunch &launch) {
  gpu::GPUFuncOp kernel = build(memory, &launch);
  std::string code = printed(kernel);
  erase(kernel);
  return code;
}

std::string DenseKernels::kernelOf(const DenseMemory &memory, ArrayRef<DenseLaunch *> members) {
  gpu::GPUFuncOp kernel = build(memory, members);
  auto [place, isNew] = byCode.try_emplace(printed(kernel));
  if (isNew) {
    place->second = "dense_" + members.front()->kind + "_" + std::to_string(byCode.size() - 1);
    rename(kernel, place->second);
  } else {
    erase(kernel);
  }
  return place->second;
}

void DenseKernels::launch(const DenseMemory &memory, ArrayRef<DenseLaunch *> members) {
  ImplicitLocOpBuilder b(members.back()->anchor->getLoc(), members.back()->anchor);
  SmallVector<Value> words;
  argumentsOf(members, words);
  for (Value &word : words)
    if (isOfStep(word))
      word = device::wordOnDevice(b, word);
  Value blocks = members.front()->blocks;
  for (DenseLaunch *next : members.drop_front()) {
    words.push_back(blocks);
    blocks = arith::AddIOp::create(b, blocks, next->blocks);
  }
  LLVM::GlobalOp record = device::declareKernel(module, kernelOf(memory, members));
  SmallVector<Work> works = llvm::map_to_vector(members, [](DenseLaunch *member) { return member->work; });
  setWork(device::launch(b, record, blocks, words), works);
}

//===- code ------------------------------------------------------------------------------------------------------===//

Value DenseBuilder::quotient(Value x, int64_t powerOfTwo) {
  return arith::ShRUIOp::create(*this, x, i64(llvm::Log2_64(powerOfTwo)));
}
Value DenseBuilder::remainder(Value x, int64_t powerOfTwo) { return both(x, i64(powerOfTwo - 1)); }

DenseBuilder::Values DenseBuilder::loopBy(Value from, Value to, Value step, ValueRange carried, Body body) {
  auto loop = scf::ForOp::create(*this, from, to, step, carried);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return Values(loop.getResults());
}
