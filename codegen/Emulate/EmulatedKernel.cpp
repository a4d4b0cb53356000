// Address spaces vanish (the host has one), ids and shared memory come from the thread, waits and checks are calls.
#include "codegen/Emulate/EmulatedKernel.h"
#include "codegen/GPU/KernelNames.h"
#include "mlir/IR/IRMapping.h"
#include "sparsec/emulated_thread.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

EmulatedKernel::EmulatedKernel(ModuleOp module, Sites &sites, gpu::GPUFuncOp kernel)
    : module(module), sites(sites), kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

static Type onHost(Type type) {
  return isa<LLVM::LLVMPointerType>(type) ? LLVM::LLVMPointerType::get(type.getContext()) : type;
}

Value EmulatedKernel::threadField(int32_t field) {
  auto type = layout::Thread::type(b.getContext());
  Value place = LLVM::GEPOp::create(b, pointer(), type, thread, ArrayRef<LLVM::GEPArg>{0, field});
  return LLVM::LoadOp::create(b, type.getBody()[field], place);
}

void EmulatedKernel::readArguments(IRMapping &arguments) {
  Value words = function.getArgument(1);
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    Value word = LLVM::GEPOp::create(b, pointer(), b.getI64Type(), words, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.map(argument, LLVM::LoadOp::create(b, onHost(argument.getType()), word).getResult());
  }
}

LogicalResult EmulatedKernel::build() {
  Region &body = kernel.getBody();
  if (!body.hasOneBlock() || body.getNumArguments() != kernel.getNumArguments())
    return kernel.emitError("kernel `") << kernel.getName()
                                        << "` has branches or memory attributions: expected structured loops, and "
                                           "shared memory as a global";
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer(), pointer()});
  function = LLVM::LLVMFuncOp::create(b, emulatedName(kernel.getName()), type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  thread = entry->getArgument(0);
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  readArguments(mapping);
  SmallVector<Operation *> copied;
  for (Operation &op : body.front())
    b.clone(op, mapping)->walk([&](Operation *inner) { copied.push_back(inner); });
  for (Operation *op : copied) {
    for (Value result : op->getResults())
      result.setType(onHost(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(onHost(argument.getType()));
  }
  for (Operation *op : copied)
    if (failed(lower(op)))
      return failure();
  return success();
}

Value EmulatedKernel::call(StringRef name, Type result, ValueRange arguments, Location place) {
  Value site = LLVM::AddressOfOp::create(b, pointer(), sites.of(place));
  SmallVector<Value> operands(arguments);
  operands.push_back(site);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type type = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    LLVM::LLVMFuncOp::create(b, name,
                             LLVM::LLVMFunctionType::get(type, llvm::to_vector(ValueRange(operands).getTypes())));
  }
  auto call = LLVM::CallOp::create(b, result ? TypeRange(result) : TypeRange(), name, operands);
  return result ? call.getResult() : Value();
}

static uint64_t sizeOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return uint64_t(vector.getNumElements()) * sizeOf(vector.getElementType());
  return isa<LLVM::LLVMPointerType>(type) ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

void EmulatedKernel::checkAccess(Operation *op, Value address, Type type, std::optional<uint64_t> alignment,
                                 int32_t access) {
  // The device touches memory in pieces that it knows to be aligned.
  uint64_t bytes = sizeOf(type), each = std::min<uint64_t>({alignment.value_or(bytes), bytes, 16});
  for (uint64_t at = 0; at < bytes; at += each) {
    Value place = at == 0
                      ? address
                      : LLVM::GEPOp::create(b, pointer(), b.getI8Type(), address, ArrayRef<LLVM::GEPArg>{int32_t(at)});
    Value size = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(int64_t(each)));
    Value how = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(access));
    call("sparsec_emulated_access", {}, {thread, place, size, how}, op->getLoc());
  }
}

LogicalResult EmulatedKernel::lowerIndex(Operation *op, gpu::Dimension dimension, int32_t field) {
  if (dimension != gpu::Dimension::x)
    return op->emitError("grids and blocks have one dimension");
  op->replaceAllUsesWith(ValueRange{arith::IndexCastOp::create(b, b.getIndexType(), threadField(field))});
  op->erase();
  return success();
}

LogicalResult EmulatedKernel::lowerShuffle(gpu::ShuffleOp op) {
  Type type = op.getValue().getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  APInt width;
  if (type.getIntOrFloatBitWidth() != 32 || !matchPattern(op.getWidth(), m_ConstantInt(&width)) || width != 32 ||
      !op.getValid().use_empty())
    return op.emitError("a shuffle is of 32 bits, over all 32 lanes, and nobody asks whether it is valid");
  Value bits = type == i32 ? op.getValue() : LLVM::BitcastOp::create(b, i32, op.getValue()).getResult();
  Value word = LLVM::ZExtOp::create(b, i64, bits), operand = LLVM::SExtOp::create(b, i64, op.getOffset());
  int32_t mode = op.getMode() == gpu::ShuffleMode::XOR    ? SPARSEC_SHUFFLE_XOR
                 : op.getMode() == gpu::ShuffleMode::DOWN ? SPARSEC_SHUFFLE_DOWN
                 : op.getMode() == gpu::ShuffleMode::UP   ? SPARSEC_SHUFFLE_UP
                                                          : SPARSEC_SHUFFLE_LANE;
  Value how = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(mode));
  Value got = call("sparsec_emulated_shuffle", i64, {thread, word, operand, how}, op.getLoc());
  Value result = LLVM::TruncOp::create(b, i32, got);
  if (type != i32)
    result = LLVM::BitcastOp::create(b, type, result);
  op.getShuffleResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}

LogicalResult EmulatedKernel::lower(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::ThreadIdOp id) { return lowerIndex(id, id.getDimension(), layout::Thread::thread); })
      .Case([&](gpu::BlockIdOp id) { return lowerIndex(id, id.getDimension(), layout::Thread::block); })
      .Case([&](gpu::BlockDimOp id) { return lowerIndex(id, id.getDimension(), layout::Thread::threads); })
      .Case([&](gpu::GridDimOp id) { return lowerIndex(id, id.getDimension(), layout::Thread::blocks); })
      .Case([&](gpu::ShuffleOp shuffle) { return lowerShuffle(shuffle); })
      .Case([&](gpu::BarrierOp) {
        call("sparsec_emulated_barrier", {}, {thread}, op->getLoc());
        op->erase();
        return success();
      })
      .Case([&](gpu::ReturnOp) {
        LLVM::ReturnOp::create(b, ValueRange());
        op->erase();
        return success();
      })
      .Case([&](LLVM::LoadOp load) {
        checkAccess(op, load.getAddr(), load.getType(), load.getAlignment(), SPARSEC_ACCESS_LOAD);
        load.setInvariant(false);
        return success();
      })
      .Case([&](LLVM::StoreOp store) {
        checkAccess(op, store.getAddr(), store.getValue().getType(), store.getAlignment(), SPARSEC_ACCESS_STORE);
        return success();
      })
      .Case([&](LLVM::AtomicRMWOp atomic) {
        checkAccess(op, atomic.getPtr(), atomic.getType(), atomic.getAlignment(), SPARSEC_ACCESS_ATOMIC);
        return success();
      })
      .Case([&](LLVM::AddrSpaceCastOp cast) {
        cast.replaceAllUsesWith(cast.getArg());
        op->erase();
        return success();
      })
      .Case([&](LLVM::AddressOfOp address) -> LogicalResult {
        if (address.getGlobalName() != sharedName(kernel.getName()))
          return op->emitError("a kernel's only global is its shared memory");
        address.replaceAllUsesWith(threadField(layout::Thread::shared));
        op->erase();
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        if (isa<gpu::GPUDialect>(op->getDialect()) || isa<LLVM::AllocaOp, memref::LoadOp, memref::StoreOp>(op))
          return op->emitError("`") << op->getName() << "` is not known to the emulator";
        return success();
      });
}
