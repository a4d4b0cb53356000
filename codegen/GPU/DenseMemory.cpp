#include "codegen/GPU/DenseMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "sparsec/abi.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

bool codegen::isDeviceMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isa<Float32Type, Float64Type>(memref.getElementType());
}

/// What names the memory that a call gives: the same name, the same memory. Empty: the call gives memory of its own.
static std::string nameOf(LLVM::CallOp call) {
  StringRef callee = call.getCallee().value_or("");
  if (callee != "sparsec_param" && callee != "sparsec_input" && callee != "sparsec_label")
    return "";
  std::string name = callee.str();
  for (Value argument : call.getArgOperands().drop_front()) {
    llvm::APInt number;
    if (!matchPattern(argument, m_ConstantInt(&number)))
      return "";
    name += " " + std::to_string(number.getSExtValue());
  }
  return name;
}

/// Its memory is nobody else's.
static bool isKnown(Value root) {
  if (root.getDefiningOp<memref::AllocOp>())
    return true;
  auto call = root.getDefiningOp<LLVM::CallOp>();
  return call && (!nameOf(call).empty() || call.getCallee() == "sparsec_ragged" || call.getCallee() == "sparsec_arena");
}

/// The value that the address in `value` was made of; null: it begins here.
static Value sourceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource();
  if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) // of a descriptor: its first pointer
    return isa<LLVM::LLVMPointerType>(insert.getValue().getType()) ? insert.getValue() : insert.getContainer();
  if (auto element = dyn_cast<LLVM::GEPOp>(op))
    return element.getBase();
  if (isa<UnrealizedConversionCastOp, LLVM::IntToPtrOp, arith::IndexCastOp, memref::ExtractAlignedPointerAsIndexOp>(op))
    return op->getOperand(0);
  return {};
}

Value DenseMemory::rootOf(Value value) const {
  while (Value source = sourceOf(value))
    value = source;
  return sameCall.lookup_or(value, value);
}

bool DenseMemory::mayAlias(Value root, Value other) const {
  return root == other || !(isKnown(root) && isKnown(other));
}

/// Whether these are views of one buffer that have no element in common.
static bool areApart(Value one, Value other) {
  auto rows = one.getDefiningOp<memref::SubViewOp>(), otherRows = other.getDefiningOp<memref::SubViewOp>();
  if (rows && otherRows && rows.getSource() == otherRows.getSource())
    for (int64_t i = 0; i < rows.getSourceType().getRank(); ++i) {
      auto begin = rows.getStaticOffsets()[i], size = rows.getStaticSizes()[i];
      auto otherBegin = otherRows.getStaticOffsets()[i], otherSize = otherRows.getStaticSizes()[i];
      bool isKnown = llvm::none_of(ArrayRef{begin, size, otherBegin, otherSize}, ShapedType::isDynamic) &&
                     rows.getStaticStrides()[i] == 1 && otherRows.getStaticStrides()[i] == 1;
      if (isKnown && (begin + size <= otherBegin || otherBegin + otherSize <= begin))
        return true;
    }
  auto view = one.getDefiningOp<memref::ViewOp>(), otherView = other.getDefiningOp<memref::ViewOp>();
  llvm::APInt begin, otherBegin;
  if (!view || !otherView || view.getSource() != otherView.getSource() || !view.getType().hasStaticShape() ||
      !otherView.getType().hasStaticShape() || !matchPattern(view.getByteShift(), m_ConstantInt(&begin)) ||
      !matchPattern(otherView.getByteShift(), m_ConstantInt(&otherBegin)))
    return false;
  auto end = [](memref::ViewOp v, const llvm::APInt &from) {
    return from.getSExtValue() + v.getType().getNumElements() * v.getType().getElementTypeBitWidth() / 8;
  };
  return end(view, begin) <= otherBegin.getSExtValue() || end(otherView, otherBegin) <= begin.getSExtValue();
}

/// The same for what they are views of, too.
static bool isDisjoint(Value one, Value other) {
  for (; one; one = sourceOf(one))
    for (Value two = other; two; two = sourceOf(two))
      if (areApart(one, two))
        return true;
  return false;
}

void DenseMemory::add(Operation *op, MemoryAccess added) {
  for (MemoryAccess &access : accesses[op])
    if (access.root == added.root && access.buffer == added.buffer) {
      access.writes |= added.writes;
      return;
    }
  accesses[op].push_back(added);
}

ArrayRef<MemoryAccess> DenseMemory::of(Operation *op) const {
  auto found = accesses.find(op);
  return found == accesses.end() ? ArrayRef<MemoryAccess>() : ArrayRef<MemoryAccess>(found->second);
}

bool DenseMemory::conflict(ArrayRef<MemoryAccess> one, ArrayRef<MemoryAccess> other) const {
  return llvm::any_of(one, [&](MemoryAccess x) {
    return llvm::any_of(other, [&](MemoryAccess y) {
      return (x.writes || y.writes) && mayAlias(x.root, y.root) && !isDisjoint(x.buffer, y.buffer);
    });
  });
}

bool DenseMemory::conflictBetween(Operation *from, Operation *to, ArrayRef<MemoryAccess> touched) const {
  for (Operation *op = from->getNextNode(); op && op != to; op = op->getNextNode())
    if (conflict(touched, of(op)))
      return true;
  return false;
}

/// Whether the call reads what this argument points to and no more (abi.h); of others that is not known.
static bool onlyReads(LLVM::CallOp call, Value argument) {
  StringRef callee = call.getCallee().value_or("");
  if (callee == "sparsec_gemm") { // it writes the last argument, and the one before it where that gets sums
    ValueRange arguments = call.getArgOperands();
    llvm::APInt flags;
    bool sums = !matchPattern(arguments[1], m_ConstantInt(&flags)) || (flags.getSExtValue() & SPARSEC_GEMM_SUMS);
    return arguments.back() != argument && !(sums && arguments.drop_back().back() == argument);
  }
  return callee == "sparsec_output" || callee == "sparsec_report_loss";
}

static Value stackSlot(Value pointer) {
  while (auto element = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = element.getBase();
  return pointer.getDefiningOp<LLVM::AllocaOp>() ? pointer : Value();
}
static bool canHoldAddress(Type type) {
  return isa<LLVM::LLVMPointerType, LLVM::LLVMStructType, BaseMemRefType, IndexType>(type) || type.isInteger(64);
}

/// Calls that may know the address `start`, directly or from where it was kept.
void DenseMemory::addUsers(Value root, Value start) {
  llvm::SetVector<Value> held;
  held.insert(start);
  for (size_t i = 0; i < held.size(); ++i)
    for (Operation *user : held[i].getUsers()) {
      if (isa<memref::DimOp, memref::LoadOp>(user)) // numbers, not addresses
        continue;
      auto call = dyn_cast<LLVM::CallOp>(user);
      if (call)
        add(call, {root, !onlyReads(call, held[i])});
      for (Value result : user->getResults())
        if (canHoldAddress(result.getType()))
          held.insert(result);
      if (auto store = dyn_cast<LLVM::StoreOp>(user))
        if (Value slot = stackSlot(store.getAddr()))
          held.insert(slot);
      if (call)
        for (Value argument : call.getArgOperands())
          if (Value slot = isa<LLVM::LLVMPointerType>(argument.getType()) ? stackSlot(argument) : Value())
            held.insert(slot);
    }
}

/// The loads that `value` is made of: they are done where it is stored.
void DenseMemory::addLoads(Operation *store, Value value) {
  SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
      add(store, {rootOf(load.getMemRef()), false, load.getMemRef()});
    else if (op && isPure(op))
      values.insert(op->operand_begin(), op->operand_end());
  }
}

DenseMemory::DenseMemory(Block &block) {
  llvm::StringMap<Value> calls;
  for (auto call : block.getOps<LLVM::CallOp>())
    if (std::string name = nameOf(call); !name.empty())
      sameCall[call.getResult()] = calls.try_emplace(name, call.getResult()).first->second;
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      addUsers(alloc.getMemref(), alloc.getMemref());
    else if (auto call = dyn_cast<LLVM::CallOp>(op);
             call && call->getNumResults() == 1 && isKnown(rootOf(call.getResult())))
      addUsers(rootOf(call.getResult()), call.getResult());
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (OpOperand &operand : op.getOpOperands()) {
        if (isa<MemRefType>(operand.get().getType()))
          add(&op, {rootOf(operand.get()), linalgOp.isDpsInit(&operand), operand.get()});
      }
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      add(&op, {rootOf(load.getMemRef()), false, load.getMemRef()});
    else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      add(&op, {rootOf(store.getMemRef()), true, store.getMemRef()});
      addLoads(store, store.getValueToStore());
    }
  }
}
