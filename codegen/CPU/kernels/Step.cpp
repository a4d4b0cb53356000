// One optimizer step of a row: gradients summed in order, scaled, then the optimizer's own formula over vectors.
#include "codegen/CPU/kernels/Step.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

RowStep::RowStep(KernelBuilder &b, int64_t dim, OptimizerAttrInterface optimizer)
    : of(b, dim), b(b), dim(dim), optimizer(optimizer), states(optimizer.getStates()) {
  learningRate = arith::MulFOp::create(b, of.lr, b.f32(optimizer.getLearningRate()));
  for (size_t i = 0; i <= states.size(); ++i)
    fields.push_back(b.load(b.pointer(), of.field, b.i64(i)));
}

Value RowStep::columnsOf(size_t field, Value row, Value column) {
  return b.at(b.row(fields[field], dim, row), b.getF32Type(), column);
}

void RowStep::prefetch(Value row) {
  b.prefetch(b.row(fields[0], dim, row), dim, dim % 16 == 0 || 16 % dim == 0, /*write=*/true);
  for (auto [i, state] : llvm::enumerate(states))
    if (state.perRow)
      b.prefetch(b.at(fields[i + 1], b.getF32Type(), row), 1, true, /*write=*/true);
    else
      b.prefetch(b.row(fields[i + 1], dim, row), dim, dim % 16 == 0 || 16 % dim == 0, /*write=*/true);
}

SmallVector<Value> RowStep::gradient(const Columns &columns, Value column, Value from, Value to, Value last) {
  SmallVector<Value> result;
  Value scale = columns.spread(of.scale);
  for (Value sum : of.sum(columns, column, from, to, last))
    result.push_back(arith::MulFOp::create(b, sum, scale));
  return result;
}

Value RowStep::addSquares(ValueRange gradient, Value before) {
  for (Value g : gradient)
    before = arith::AddFOp::create(b, before, arith::MulFOp::create(b, g, g));
  return before;
}

void RowStep::update(Value row, Value from, Value to, Value last) {
  bool needsNorm = optimizer.needsRowNorm(), oneBlock = dim <= blockColumns;
  auto mean = [&](Value squares) { return arith::DivFOp::create(b, sumOfLanes(b, squares), b.f32(double(dim))); };
  Value norm;
  if (needsNorm && !oneBlock) { // the sums are made twice: a row this wide does not fit the registers
    Value none = Columns(b, dim, Columns::lanesOf(dim)).zero();
    norm = mean(forEachBlock(b, dim, blockColumns, none, [&](const Columns &columns, Value column, ValueRange squares) {
                  return SmallVector<Value>{addSquares(gradient(columns, column, from, to, last), squares.front())};
                }).front());
  }
  SmallVector<Value> rowStates(states.size());
  for (auto [i, state] : llvm::enumerate(states))
    if (state.perRow)
      rowStates[i] = b.load(b.getF32Type(), fields[i + 1], row);
  forEachBlock(b, dim, blockColumns, [&](const Columns &columns, Value column) {
    SmallVector<Value> g = gradient(columns, column, from, to, last);
    if (needsNorm && oneBlock)
      norm = mean(addSquares(g, columns.zero()));
    updateColumns(columns, row, column, g, norm, rowStates);
  });
}

void RowStep::updateColumns(const Columns &columns, Value row, Value column, ValueRange gradient, Value norm,
                            ArrayRef<Value> rowStates) {
  // Everything is read before anything is written, and a state of the row is written as often as there are blocks,
  // always from what it was before the step.
  SmallVector<SmallVector<Value>> before(states.size() + 1), after(states.size() + 1);
  for (size_t i = 0; i <= states.size(); ++i)
    if (i == 0 || !states[i - 1].perRow)
      before[i] = columns.load(columnsOf(i, row, column));
  for (auto [piece, g] : llvm::enumerate(gradient)) {
    UpdateInputs inputs{before[0][piece], g, {}, norm, learningRate, of.step};
    for (size_t i = 0; i < states.size(); ++i)
      inputs.states.push_back(states[i].perRow ? rowStates[i] : before[i + 1][piece]);
    for (auto [i, value] : llvm::enumerate(optimizer.emitUpdate(b, inputs)))
      after[i].push_back(value);
  }
  for (size_t i = 0; i <= states.size(); ++i)
    if (i > 0 && states[i - 1].perRow)
      b.store(after[i].front(), fields[i], row);
    else
      columns.store(after[i], columnsOf(i, row, column));
}

LLVM::LLVMFuncOp Kernels::step(int64_t dim, OptimizerAttrInterface optimizer) {
  std::string name = ("step_" + optimizer.getRule() + "_d" + llvm::Twine(dim)).str();
  return get(name, optimizer, [&](KernelBuilder &b) {
    RowStep step(b, dim, optimizer);
    Value last = b.sub(b.loadI64(step.of.start, b.end), b.i64(1)), lastSegment = b.sub(b.end, b.i64(1));
    b.loop(b.begin, b.end, [&](Value s) {
      step.prefetch(b.loadI64(step.of.rows, b.minimum(b.add(s, b.i64(rowsAhead(dim))), lastSegment)));
      Value from = b.loadI64(step.of.start, s), to = b.loadI64(step.of.start, b.add(s, b.i64(1)));
      step.update(b.loadI64(step.of.rows, s), from, to, last);
    });
  });
}
