// Numbers of the device that are loaded, worked on and stored: one thread. What comes from the host is passed.
#include "codegen/GPU/DenseShapes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
/// The ops that a value is made of, down to loads from the device and values of the host.
struct Chain {
  SetVector<Operation *> ops; // operands first
  SetVector<Value> fromHost;
  SmallVector<memref::LoadOp> loads;

  /// Whether the value depends on what is in the device's memory.
  bool collect(Value value);
};
} // namespace

bool Chain::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return fromHost.insert(value), false;
  if (ops.contains(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op); load && isDeviceMemory(load.getMemRefType())) {
    ops.insert(op);
    loads.push_back(load);
    return true;
  }
  if (!isPure(op) || op->getNumRegions() > 0)
    return fromHost.insert(value), false;
  SetVector<Value> hostBefore = fromHost;
  bool depends = false;
  for (Value operand : op->getOperands())
    depends |= collect(operand);
  if (depends) {
    ops.insert(op);
  } else {
    fromHost = hostBefore; // the value itself is passed, not what it is made of
    fromHost.insert(value);
  }
  return depends;
}

/// The one element of a buffer that is accessed, as offset from its descriptor's pointer.
template <typename AccessOp> static FailureOr<int64_t> offsetOf(AccessOp op) {
  SmallVector<int64_t> strides;
  int64_t offset = ShapedType::kDynamic;
  if (op.getIndices().empty() && succeeded(op.getMemRefType().getStridesAndOffset(strides, offset)) &&
      !ShapedType::isDynamic(offset))
    return offset;
  return op.emitOpError("expected a buffer of one number at a known place, but got ") << op.getMemRefType();
}

LogicalResult codegen::launchScalars(const DenseMemory &memory, memref::StoreOp store, DenseLaunches &launches) {
  Chain chain;
  if (!chain.collect(store.getValueToStore()))
    chain.fromHost.insert(store.getValueToStore());
  auto launch = std::make_unique<DenseLaunch>(store, "scalars");
  ImplicitLocOpBuilder host(store.getLoc(), store);
  DenseMap<Operation *, size_t> places; // of loads
  for (memref::LoadOp load : chain.loads) {
    MemoryAccess access{memory.rootOf(load.getMemRef()), false, load.getMemRef()};
    if (memory.conflictBetween(load, store, access))
      return load.emitOpError("expected the number not to change before it is used, in a store");
    FailureOr<int64_t> offset = offsetOf(load);
    if (failed(offset))
      return failure();
    places[load] = launch->addPointer(host, load.getMemRef(), *offset);
    launch->accesses.push_back(access);
  }
  FailureOr<int64_t> offset = offsetOf(store);
  if (failed(offset))
    return failure();
  size_t out = launch->addPointer(host, store.getMemRef(), *offset);
  launch->accesses.push_back({memory.rootOf(store.getMemRef()), true, store.getMemRef()});
  SmallVector<std::pair<Value, size_t>> fromHost;
  SmallVector<Operation *> constants;
  for (Value value : chain.fromHost)
    if (Operation *op = value.getDefiningOp(); op && op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
    else
      fromHost.push_back({value, launch->addWord(host, value)});
  launch->blocks = RuntimeCalls(host).constant64(1);
  launch->work = {{}, 4.0 * double(chain.loads.size() + 1), double(chain.ops.size() - chain.loads.size())};
  SmallVector<Operation *> ops(chain.ops.begin(), chain.ops.end());
  Value stored = store.getValueToStore();
  launch->emit = [=](DenseBuilder &b, ValueRange words, Value) {
    Value isFirst = b.equal(b.thread(), b.i64(0));
    b.ifThen(isFirst, [&] {
      IRMapping mapping;
      for (Operation *constant : constants)
        b.clone(*constant, mapping);
      for (auto [value, word] : fromHost)
        mapping.map(value, scalarOf(b, words[word], value.getType()));
      for (Operation *op : ops) {
        if (auto load = dyn_cast<memref::LoadOp>(op)) {
          mapping.map(load.getResult(), b.load(load.getType(), words[places.lookup(op)]));
        } else {
          b.clone(*op, mapping);
        }
      }
      Value value = mapping.lookup(stored);
      b.store(value, words[out]);
    });
  };
  launches.push_back(std::move(launch));
  return success();
}
