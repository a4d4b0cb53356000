// Collectives of numbers and of row gradients.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static Results lowerAgree(EmbeddingLowering &, ImplicitLocOpBuilder &b, comm::AgreeOp op, comm::AgreeOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value total = calls.onStack(b.getI64Type(), 1);
  calls.check("sparsec_agree", {calls.axes(op.getAxes()), in.getStatus(), calls.asI64(in.getSize()), total});
  return SmallVector<Value>{calls.asIndex(calls.load(b.getI64Type(), total, b.getI64Type(), {0}))};
}

/// Forward it is the identity; its adjoint is an op of its own.
static Results lowerReplicate(EmbeddingLowering &, ImplicitLocOpBuilder &, comm::ReplicateOp,
                              comm::ReplicateOp::Adaptor in) {
  return SmallVector<Value>{in.getInput()};
}

/// What transfers have left in buffers.
static SmallVector<Value> readBuffers(ImplicitLocOpBuilder &b, ValueRange buffers, TypeRange types) {
  SmallVector<Value> values;
  for (auto [buffer, type] : llvm::zip(buffers, types)) {
    if (!isa<TensorType>(type)) {
      values.push_back(memref::LoadOp::create(b, buffer, ValueRange()));
      continue;
    }
    Value tensor = RuntimeCalls(b).asTensor(buffer);
    values.push_back(tensor.getType() == type ? tensor : tensor::CastOp::create(b, type, tensor).getResult());
  }
  return values;
}

SmallVector<Value> codegen::waitFor(ImplicitLocOpBuilder &b, Value token, ValueRange buffers, TypeRange results) {
  RuntimeCalls(b).check("sparsec_wait", {token});
  return readBuffers(b, buffers, results);
}

namespace {

/// Tensors and scalars side by side in one buffer, to be summed in place.
class FlatSum {
public:
  FlatSum(ImplicitLocOpBuilder &b, ArrayAttr axes, int64_t ranks, ValueRange inputs)
      : b(b), calls(b), axes(axes), ranks(double(ranks)) {
    SmallVector<int64_t> begin;
    for (Value input : inputs) {
      begin.push_back(floats);
      auto tensor = dyn_cast<RankedTensorType>(input.getType());
      floats += tensor ? tensor.getNumElements() : 1;
    }
    buffer = calls.newBuffer(RankedTensorType::get({floats * 4}, b.getI8Type()), {});
    for (auto [input, first] : llvm::zip(inputs, begin)) {
      auto tensor = dyn_cast<RankedTensorType>(input.getType());
      auto type = MemRefType::get(tensor ? tensor.getShape() : ArrayRef<int64_t>(), b.getF32Type());
      Value byte = arith::ConstantIndexOp::create(b, first * 4);
      views.push_back(memref::ViewOp::create(b, type, buffer, byte, ValueRange()));
      write(input, views.back());
    }
  }

  SmallVector<Value> sum(TypeRange results) {
    auto call = calls.check("sparsec_all_reduce", {calls.axes(axes), calls.address(buffer), calls.constant64(floats)});
    setWork(call, work());
    return readBuffers(b, views, results);
  }
  /// Returns the token; the sums will be in `views`.
  Value start() {
    Value token = calls.onStack(b.getI64Type(), 1);
    auto call = calls.check("sparsec_all_reduce_start",
                            {calls.axes(axes), calls.address(buffer), calls.constant64(floats), token});
    setWork(call, work());
    return calls.load(b.getI64Type(), token, b.getI64Type(), {0});
  }
  /// One for each input, into the buffer.
  SmallVector<Value> views;

private:
  /// Each rank sums a slice, then all get it.
  Work work() const { return {{}, 2 * 4 * double(floats) * (ranks - 1) / ranks}; }
  void write(Value input, Value view) {
    if (isa<RankedTensorType>(input.getType()))
      bufferization::MaterializeInDestinationOp::create(b, TypeRange(), input, view, /*restrict=*/true,
                                                        /*writable=*/true);
    else
      memref::StoreOp::create(b, input, view, ValueRange());
  }

  ImplicitLocOpBuilder &b;
  RuntimeCalls calls;
  ArrayAttr axes;
  double ranks;
  Value buffer;
  int64_t floats = 0;
};

} // namespace

/// Row gradients of all operands, a message for all. One update for each part; the rows of a table's parts are joined.
static Results sumRows(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllReduceOp op,
                       ArrayRef<std::pair<Value, Value>> rows) {
  RuntimeCalls calls(b);
  SmallVector<UpdateEntry> entries;
  SmallVector<int64_t> parts;
  SmallVector<Work> works;
  Work message;
  double others = double(l.ranks(op.getAxes()) - 1);
  for (auto [before, pointer] : rows) {
    FlatSymbolRefAttr name = tableOfRows(before);
    rec::TableOp table = name ? l.table(name) : rec::TableOp();
    if (!table || !table.getParts())
      return op.emitOpError("expected row gradients of a table with parts");
    parts.push_back(table.getParts()->size());
    for (int32_t part = 0; part < parts.back(); ++part) {
      int64_t dim = table.getPart(part).getDim();
      FlatSymbolRefAttr kernel = l.kernels.segmentSum(dim);
      entries.push_back({kernel, l.index.table(name), part, false, pointer});
      double ids = expectedIds(l, before, part), touched = std::min(ids, double(table.getRows()));
      works.push_back(segmentWork(kernel, dim, ids, touched, /*numbers=*/0));
      message.bytes += others * touched * (8 + 4.0 * dim);
    }
  }
  works.push_back(message);
  Value results = calls.onStack(calls.pointer(), entries.size());
  auto call = calls.check("sparsec_rows_reduce", {calls.axes(op.getAxes()), updateArray(b, entries),
                                                  calls.constant64(entries.size()), results});
  setWork(call, works);
  SmallVector<Value> sums;
  int32_t next = 0;
  for (int64_t count : parts) {
    SmallVector<Value> lists;
    for (int64_t part = 0; part < count; ++part)
      lists.push_back(calls.load(calls.pointer(), results, calls.pointer(), {next++}));
    sums.push_back(joinRows(b, lists));
  }
  return sums;
}

static Results lowerAllReduce(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllReduceOp op,
                              comm::AllReduceOp::Adaptor in) {
  SmallVector<std::pair<Value, Value>> rows;
  SmallVector<Value> numbers, results(op.getNumResults());
  for (auto [before, value] : llvm::zip(op.getInputs(), in.getInputs()))
    if (isa<rec::RowsType>(before.getType()))
      rows.push_back({before, value});
    else
      numbers.push_back(value);
  SmallVector<Value> sums, rowSums;
  if (!numbers.empty())
    sums = FlatSum(b, op.getAxes(), l.ranks(op.getAxes()), numbers).sum(ValueRange(numbers).getTypes());
  if (!rows.empty()) {
    Results summed = sumRows(l, b, op, rows);
    if (failed(summed))
      return failure();
    rowSums = *summed;
  }
  size_t nextNumber = 0, nextRows = 0;
  for (auto [before, result] : llvm::zip(op.getInputs(), results))
    result = isa<rec::RowsType>(before.getType()) ? rowSums[nextRows++] : sums[nextNumber++];
  return results;
}

static Results lowerAllReduceStart(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::AllReduceStartOp op,
                                   comm::AllReduceStartOp::Adaptor in) {
  FlatSum bucket(b, op.getAxes(), l.ranks(op.getAxes()), in.getInputs());
  Value token = bucket.start();
  l.started[op.getPending()] = bucket.views;
  return SmallVector<Value>{token};
}

static Results lowerWait(EmbeddingLowering &l, ImplicitLocOpBuilder &b, comm::WaitOp op, comm::WaitOp::Adaptor in) {
  auto found = l.started.find(op.getPending());
  if (found == l.started.end())
    return op.emitOpError("expected what a collective of this entry point has started");
  return waitFor(b, in.getPending(), found->second, op.getResultTypes());
}

void codegen::addCollectiveLowerings(EmbeddingPatterns &patterns) {
  patterns.add<comm::AgreeOp>(lowerAgree);
  patterns.add<comm::ReplicateOp>(lowerReplicate);
  patterns.add<comm::AllReduceOp>(lowerAllReduce);
  patterns.add<comm::AllReduceStartOp>(lowerAllReduceStart);
  patterns.add<comm::WaitOp>(lowerWait);
}
