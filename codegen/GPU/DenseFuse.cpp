#include "codegen/GPU/DenseFuse.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
/// Ops of one kernel; more would need more registers than they save loads.
constexpr size_t mostPoints = 4;

struct Fusion {
  const DenseMemory &memory;
  SmallVectorImpl<DenseWork> &works;

  bool join(size_t at);
  SmallVector<MemoryAccess> accessesOf(const DenseWork &) const;
  bool canMove(size_t at, size_t to, const DenseWork &work) const;
};
} // namespace

//===- domains ---------------------------------------------------------------------------------------------------===//

/// A number, or the value that is the extent.
static std::pair<int64_t, Value> extentOf(Value buffer, unsigned dimension) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dimension))
    return {type.getDimSize(dimension), Value()};
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return {0, alloc.getDynamicSizes()[type.getDynamicDimIndex(dimension)]};
  if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    return {0, view.getSizes()[type.getDynamicDimIndex(dimension)]};
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>(); view && view.getSourceType().getRank() == type.getRank())
    if (auto size = dyn_cast<Value>(view.getMixedSizes()[dimension]))
      return {0, size};
  return {int64_t(dimension), buffer};
}

static SmallVector<std::pair<int64_t, Value>> domainOf(linalg::GenericOp op) {
  SmallVector<std::pair<int64_t, Value>> extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dimension = dyn_cast<AffineDimExpr>(expression))
        extents[dimension.getPosition()] = extentOf(operand.get(), position);
  return extents;
}
/// That of a sum's results.
static SmallVector<std::pair<int64_t, Value>> domainOfResults(linalg::GenericOp sum) {
  SmallVector<std::pair<int64_t, Value>> extents;
  Value out = sum.getDpsInits()[0];
  for (int64_t i = 0; i < cast<MemRefType>(out.getType()).getRank(); ++i)
    extents.push_back(extentOf(out, i));
  return extents;
}

//===- what may meet at a point ----------------------------------------------------------------------------------===//

/// Whether `late`, run at each point right behind `early`, sees what it would see behind all of `early`: where one
/// writes what the other touches, both do so at the point itself.
static bool meetAtPoints(const DenseMemory &memory, linalg::GenericOp early, linalg::GenericOp late) {
  for (OpOperand &x : early->getOpOperands())
    for (OpOperand &y : late->getOpOperands()) {
      bool numbers = !isa<MemRefType>(x.get().getType()) || !isa<MemRefType>(y.get().getType());
      if (numbers || !(early.isDpsInit(&x) || late.isDpsInit(&y)) ||
          !memory.mayAlias(memory.rootOf(x.get()), memory.rootOf(y.get())))
        continue;
      AffineMap map = early.getMatchingIndexingMap(&x);
      if (x.get() != y.get() || map != late.getMatchingIndexingMap(&y) || !map.isIdentity())
        return false;
    }
  return true;
}

/// Whether a tail op touches of the sum's memory only the sums, each at its own point.
static bool meetsAtSums(const DenseMemory &memory, const DenseWork &work, linalg::GenericOp op) {
  linalg::GenericOp sum = work.sum;
  Value out = sum.getDpsInits()[0];
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isSum = operand.get() == out && op.getMatchingIndexingMap(&operand).isIdentity();
    MemoryAccess access{memory.rootOf(operand.get()), op.isDpsInit(&operand), operand.get()};
    if (!isSum && memory.conflict(access, memory.of(sum)))
      return false;
    for (linalg::GenericOp point : work.points)
      if (memory.conflict(access, memory.of(point)))
        return false;
  }
  return llvm::all_of(work.tail, [&](linalg::GenericOp before) { return meetAtPoints(memory, before, op); });
}

//===- moving ----------------------------------------------------------------------------------------------------===//

bool codegen::collectDefinitions(Value value, Operation *place, SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->isBeforeInBlock(place) || ops.contains(op))
    return true;
  if (op->getNumRegions() > 0 || !(isPure(op) || isa<memref::AllocOp>(op)))
    return false;
  for (Value operand : op->getOperands())
    if (!collectDefinitions(operand, place, ops))
      return false;
  ops.insert(op);
  return true;
}

static bool moveDefinitions(linalg::GenericOp op, Operation *place) {
  SetVector<Value> needed;
  needed.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op.getRegion(), needed);
  SetVector<Operation *> ops;
  for (Value value : needed)
    if (!collectDefinitions(value, place, ops))
      return false;
  for (Operation *moved : ops)
    moved->moveBefore(place);
  return true;
}

SmallVector<MemoryAccess> Fusion::accessesOf(const DenseWork &work) const {
  SmallVector<MemoryAccess> accesses;
  for (ArrayRef<linalg::GenericOp> ops : {ArrayRef(work.points), ArrayRef(work.tail)})
    for (linalg::GenericOp op : ops)
      llvm::append_range(accesses, memory.of(op));
  if (work.sum)
    llvm::append_range(accesses, memory.of(work.sum));
  return accesses;
}

/// Whether `work`, at `at`, may run where work `to` does: nothing that runs in between minds.
bool Fusion::canMove(size_t at, size_t to, const DenseWork &work) const {
  SmallVector<MemoryAccess> mine = accessesOf(work);
  for (const DenseWork &other : ArrayRef(works).slice(to + 1, at - to - 1))
    if (memory.conflict(mine, accessesOf(other)))
      return false;
  for (Operation *op = works[to].anchor; op != work.anchor; op = op->getNextNode())
    if (!isa<linalg::GenericOp>(op) && memory.conflict(mine, memory.of(op)))
      return false;
  return true;
}

//===- joining ---------------------------------------------------------------------------------------------------===//

static bool sharesPoints(const DenseMemory &memory, const DenseWork &work, linalg::GenericOp op) {
  return !work.sum && work.points.size() < mostPoints && domainOf(work.points.front()) == domainOf(op) &&
         llvm::all_of(work.points, [&](linalg::GenericOp point) { return meetAtPoints(memory, point, op); });
}
static bool sharesSums(const DenseMemory &memory, const DenseWork &work, linalg::GenericOp op) {
  return work.sum && op.getNumReductionLoops() == 0 && domainOfResults(work.sum) == domainOf(op) &&
         meetsAtSums(memory, work, op);
}

bool Fusion::join(size_t at) {
  DenseWork &work = works[at];
  linalg::GenericOp op = work.sum ? work.sum : work.points.front();
  SmallVector<MemoryAccess> mine = accessesOf(work);
  // The last work before that makes something of what this one reads: it may not run before that.
  size_t to = at;
  while (to-- > 0)
    if (memory.conflict(mine, accessesOf(works[to])))
      break;
  if (to > at || !canMove(at, to, work))
    return false;
  DenseWork &host = works[to];
  bool points = sharesPoints(memory, host, op), sums = !points && sharesSums(memory, host, op);
  if (!(points || sums) || !moveDefinitions(op, host.anchor))
    return false;
  if (sums) {
    host.tail.push_back(op);
  } else if (work.sum) {
    host.sum = op;
    host.startsAtZero = work.startsAtZero;
  } else {
    host.points.push_back(op);
  }
  return true;
}

void codegen::fuseWorks(Block &block, const DenseMemory &memory, SmallVectorImpl<DenseWork> &works) {
  Fusion fusion{memory, works};
  for (size_t at = 0; at < works.size();)
    if (fusion.join(at))
      works.erase(works.begin() + at);
    else
      ++at;
}
