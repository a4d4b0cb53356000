#include "codegen/GPU/DensePoint.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

//===- where things lie ------------------------------------------------------------------------------------------===//

/// What the address in a buffer's descriptor is a multiple of. The runtime's memory is aligned to 16 bytes (abi.h).
static int64_t alignOf(Value buffer) {
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return alloc.getAlignment().value_or(64);
  if (auto view = buffer.getDefiningOp<memref::ViewOp>()) {
    llvm::APInt shift;
    int64_t bytes = matchPattern(view.getByteShift(), m_ConstantInt(&shift)) ? shift.getSExtValue() : 1;
    return std::gcd(alignOf(view.getSource()), bytes);
  }
  if (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    return alignOf(view.getViewSource());
  if (buffer.getDefiningOp<UnrealizedConversionCastOp>())
    return 16;
  return 1;
}

static int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

static FailureOr<PointOperand> describeOperand(ImplicitLocOpBuilder &host, DenseLaunch &launch, OpOperand &operand,
                                               PointDomain domain) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  Value buffer = operand.get();
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isDeviceMemory(type) || failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return op.emitOpError("expected floats with known strides in the device's memory, but got ") << type;

  unsigned loops = op.getNumLoops();
  SmallVector<int64_t> byLoop(loops, 0);
  for (auto [position, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (auto dimension = dyn_cast<AffineDimExpr>(expression))
      byLoop[dimension.getPosition()] += strides[position];
    else if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      offset += constant.getValue() * strides[position];
    else
      return op.emitOpError("expected buffers that are read by rows and columns, but got map ")
             << AffineMapAttr::get(op.getMatchingIndexingMap(&operand));
  }
  bool isSum = op.getNumReductionLoops() > 0 && op.isDpsInit(&operand); // stays in registers
  size_t word = isSum ? 0 : launch.addPointer(host, buffer, offset);
  PointOperand result{buffer, word, 0, type.getElementType(), 0, 0, false, 0};
  if (domain == PointDomain::flat)
    result.columnStride = type.getRank() > 0;
  else if (domain == PointDomain::reduced)
    result.rowStride = byLoop[0];
  else if (loops > 0)
    result.columnStride = byLoop[loops - 1], result.rowStride = loops == 2 ? byLoop[0] : 0;
  if (result.rowStride != 0 && !isSum)
    result.rowStrideWord = launch.addWord(host, RuntimeCalls(host).constant64(result.rowStride));
  result.isRead = op.payloadUsesValueFromOperand(&operand);
  result.align = std::max(bytesOf(result.element), std::gcd(alignOf(buffer), offset * bytesOf(result.element)));
  return result;
}

FailureOr<PointOp> codegen::describePoint(ImplicitLocOpBuilder &host, DenseLaunch &launch, linalg::GenericOp op,
                                          PointDomain domain) {
  if (op.getNumLoops() > 2)
    return op.emitOpError("expected a domain of rows and columns, but got ") << op.getNumLoops() << " loops";
  PointOp point;
  point.op = op;
  point.rank = op.getNumLoops();
  llvm::SetVector<Value> scalars;
  for (OpOperand &operand : op->getOpOperands()) {
    point.operands.emplace_back();
    if (!isa<MemRefType>(operand.get().getType())) {
      scalars.insert(operand.get());
      continue;
    }
    FailureOr<PointOperand> described = describeOperand(host, launch, operand, domain);
    if (failed(described))
      return failure();
    point.operands.back() = *described;
  }
  getUsedValuesDefinedAbove(op.getRegion(), scalars);
  for (Value scalar : scalars)
    if (Operation *made = scalar.getDefiningOp(); !made || !made->hasTrait<OpTrait::ConstantLike>())
      point.scalars.push_back({scalar, launch.addWord(host, scalar)});
  return point;
}

bool codegen::isFlat(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics())
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    return !type || type.getRank() == 0 ||
           (type.getLayout().isIdentity() && op.getMatchingIndexingMap(&operand).isIdentity());
  });
}

bool codegen::isVector(ArrayRef<PointOp> ops) {
  return llvm::all_of(ops, [](const PointOp &op) {
    return llvm::all_of(op.operands, [](const std::optional<PointOperand> &operand) {
      if (!operand || operand->columnStride == 0)
        return true;
      return operand->columnStride == 1 && operand->element.isF32() && operand->rowStride % 4 == 0 &&
             operand->align % 16 == 0;
    });
  });
}

static Value extentIn(ImplicitLocOpBuilder &host, OpOperand &operand, unsigned position) {
  return host.createOrFold<memref::DimOp>(operand.get(), position);
}
/// The operand and its dimension that is `dimension` of the domain.
static std::pair<OpOperand *, unsigned> findExtent(linalg::GenericOp op, unsigned dimension) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expression == getAffineDimExpr(dimension, op.getContext()))
        return {&operand, position};
  llvm_unreachable("a verified op has every dimension in a map");
}
Value codegen::extentOf(ImplicitLocOpBuilder &host, linalg::GenericOp op, unsigned dimension) {
  auto [operand, position] = findExtent(op, dimension);
  return RuntimeCalls(host).asI64(extentIn(host, *operand, position));
}
int64_t codegen::staticExtentOf(linalg::GenericOp op, unsigned dimension) {
  auto [operand, position] = findExtent(op, dimension);
  return cast<MemRefType>(operand->get().getType()).getDimSize(position);
}

//===- code ------------------------------------------------------------------------------------------------------===//

Value PointCode::place(const PointOperand &operand, Value i, Value j) {
  Value column = operand.columnStride == 0   ? b.i64(0)
                 : operand.columnStride == 1 ? j
                                             : b.mul(j, b.i64(operand.columnStride));
  return operand.rowStride == 0 ? column : b.add(b.mul(i, words[operand.rowStrideWord]), column);
}

SmallVector<Value> PointCode::load(const PointOperand &operand, Value i, Value j, int lanes) {
  Value at = b.at(words[operand.word], operand.element, place(operand, i, j));
  if (lanes == 1 || operand.columnStride == 0)
    return SmallVector<Value>(lanes, b.load(operand.element, at));
  Value vector = b.load(VectorType::get({lanes}, operand.element), at);
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < lanes; ++lane)
    values.push_back(vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{lane}));
  return values;
}

void PointCode::store(const PointOperand &operand, Value i, Value j, ArrayRef<Value> lanes) {
  Value value = lanes[0];
  if (lanes.size() > 1)
    value = vector::FromElementsOp::create(b, VectorType::get({int64_t(lanes.size())}, operand.element), lanes);
  b.store(value, b.at(words[operand.word], operand.element, place(operand, i, j)));
}

void PointCode::forward(Value buffer, ArrayRef<Value> lanes) { known[buffer].assign(lanes.begin(), lanes.end()); }

SmallVector<Value> PointCode::runBody(const PointOp &point, Value i, Value j, ValueRange arguments) {
  linalg::GenericOp generic = point.op;
  Block &body = generic.getRegion().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto outside = [&](Value value) -> Value {
    for (auto [scalar, word] : point.scalars)
      if (scalar == value)
        return scalarOf(b, words[word], value.getType());
    return b.clone(*value.getDefiningOp())->getResult(0); // a constant
  };
  for (auto [k, operand] : llvm::enumerate(point.operands))
    if (!operand)
      mapping.map(body.getArgument(k), outside(generic->getOperand(k)));
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(generic.getRegion(), above);
  for (Value value : above)
    mapping.map(value, outside(value));
  for (Operation &op : body.without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(), scalarOf(b, index.getDim() + 1 == point.rank ? j : i, b.getIndexType()));
    else
      b.clone(op, mapping);
  return llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value v) { return mapping.lookupOrDefault(v); });
}

void PointCode::run(const PointOp &point, Value i, Value j, int lanes, SmallVectorImpl<Value> *sums) {
  linalg::GenericOp generic = point.op;
  size_t inputs = generic.getNumDpsInputs();
  SmallVector<SmallVector<Value>> arguments, results;
  for (auto [k, operand] : llvm::enumerate(point.operands)) {
    SmallVector<Value> &values = arguments.emplace_back(lanes, Value());
    if (!operand || !operand->isRead)
      continue;
    if (sums && k >= inputs)
      values.assign(sums->begin(), sums->end());
    else if (auto found = known.find(operand->buffer); found != known.end())
      values = found->second;
    else
      values = load(*operand, i, j, lanes);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> of;
    for (auto &values : arguments) // null: the body does not use it
      of.push_back(values[lane]);
    Value column = lane == 0 ? j : b.add(j, b.i64(lane));
    results.push_back(runBody(point, i, column, of));
  }
  for (auto [k, operand] : llvm::enumerate(ArrayRef(point.operands).drop_front(inputs))) {
    SmallVector<Value> values = llvm::map_to_vector(results, [k = k](const SmallVector<Value> &of) { return of[k]; });
    if (sums) {
      sums->assign(values.begin(), values.end());
      continue;
    }
    store(*operand, i, j, values);
    forward(operand->buffer, values);
  }
}
