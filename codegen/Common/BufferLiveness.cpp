#include "codegen/Common/BufferLiveness.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sparsec::codegen;

BufferLiveness::BufferLiveness(Block &block) : block(block) {
  for (auto [i, op] : llvm::enumerate(block))
    positions[&op] = i;
}

int64_t BufferLiveness::position(Operation *op) const { return positions.lookup(block.findAncestorOpInBlock(*op)); }

/// The stack slot that a pointer points into; null: none.
static Value stackSlot(Value pointer) {
  while (auto element = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = element.getBase();
  return pointer.getDefiningOp<LLVM::AllocaOp>() ? pointer : Value();
}

/// Whether a value of this type can carry an address: pointers, views, integers of their size.
static bool canHoldAddress(Type type) {
  return isa<LLVM::LLVMPointerType, LLVM::LLVMStructType, BaseMemRefType, IndexType>(type) || type.isInteger(64);
}

int64_t BufferLiveness::lastUse(Value buffer) const {
  llvm::SetVector<Value> held;
  held.insert(buffer);
  int64_t last = position(buffer.getDefiningOp());
  for (size_t i = 0; i < held.size(); ++i) {
    Value value = held[i];
    for (Operation *user : value.getUsers()) {
      last = std::max(last, position(user));
      if (isa<memref::DimOp, memref::LoadOp>(user)) // numbers, not addresses
        continue;
      for (Value result : user->getResults())
        if (canHoldAddress(result.getType()))
          held.insert(result);
      if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
        if (Value slot = stackSlot(store.getAddr()))
          held.insert(slot);
      } else if (auto call = dyn_cast<LLVM::CallOp>(user)) {
        for (Value argument : call.getArgOperands())
          if (Value slot = isa<LLVM::LLVMPointerType>(argument.getType()) ? stackSlot(argument) : Value())
            held.insert(slot);
      }
    }
  }
  return last;
}
