// Steps of touched rows: a team for each position; where a segment begins, it sums the gradients, scales them, and does
// the optimizer's own formula over its columns.
#include "codegen/GPU/kernels/Step.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

RowStep::RowStep(Segments &of, OptimizerAttrInterface optimizer, Value hyper)
    : of(of), b(of.b), optimizer(optimizer), states(optimizer.getStates()), hyper(hyper) {}

/// Loaded where it is used: the sums need the registers.
Value RowStep::hyperField(int32_t index) { return b.field(hyper, layout::Hyper::type(b.getContext()), index); }

Value RowStep::columnsOf(size_t field, const Row &row) {
  auto type = layout::UpdateEntry::type(b.getContext());
  Value rows = b.field(row.entry, type, layout::UpdateEntry::field, int32_t(field));
  bool perRow = field > 0 && states[field - 1].perRow;
  return b.floatAt(rows, perRow ? row.row : b.mul(row.row, b.i64(of.team.dim)));
}

KernelBuilder::Values RowStep::gradient(const LaneColumns &columns, const Segments::Extent &extent) {
  KernelBuilder::Values result = of.sum(columns, extent);
  Value scale = columns.spread(hyperField(layout::Hyper::scale));
  for (Value &sum : result)
    sum = arith::MulFOp::create(b, sum, scale);
  return result;
}

/// The mean of squares; the sums are made twice, here and for the step: they are in the cache the second time.
Value RowStep::norm(const Row &row, Value lane) {
  auto squares = [&] {
    return forEachBlock(b, of.team, lane, b.f32(0), [&](const LaneColumns &columns, ValueRange before) {
      Value sum = before.front();
      for (Value g : gradient(columns, row.extent))
        sum = arith::AddFOp::create(b, sum, sumOfVector(b, arith::MulFOp::create(b, g, g)));
      return KernelBuilder::Values{sum};
    });
  };
  auto none = [&] { return KernelBuilder::Values{b.f32(0)}; };
  Value mine = b.ifElse(row.active, b.getF32Type(), squares, none).front();
  return arith::DivFOp::create(b, sumOfTeam(b, of.team, mine), b.f32(double(of.team.dim)));
}

/// States of the whole row, read by the lane that writes them and handed to the others: they may come later than its
/// write.
KernelBuilder::Values RowStep::rowStates(const Row &row, Value lane) {
  KernelBuilder::Values result(states.size());
  for (auto [i, state] : llvm::enumerate(states)) {
    if (!state.perRow)
      continue;
    auto load = [&, i = i] { return KernelBuilder::Values{b.load(b.getF32Type(), columnsOf(i + 1, row))}; };
    auto none = [&] { return KernelBuilder::Values{b.f32(0)}; };
    Value first = b.both(row.active, b.equal(lane, b.i64(0)));
    Value mine = b.ifElse(first, b.getF32Type(), load, none).front();
    Value from = b.rem(b.sub(b.thread(), lane), 32);
    result[i] = b.shuffleFrom(mine, arith::TruncIOp::create(b, b.getI32Type(), from));
  }
  return result;
}

void RowStep::updateColumns(const LaneColumns &columns, const Row &row, Value lane, Value norm, ValueRange rowStates) {
  KernelBuilder::Values g = gradient(columns, row.extent);
  SmallVector<KernelBuilder::Values> before(states.size() + 1), after(states.size() + 1);
  for (size_t i = 0; i <= states.size(); ++i)
    if (i == 0 || !states[i - 1].perRow)
      before[i] = columns.load(columnsOf(i, row), Memory::changes);
  Value lr = arith::MulFOp::create(b, hyperField(layout::Hyper::lr), b.f32(optimizer.getLearningRate()));
  Value step = hyperField(layout::Hyper::step);
  for (size_t piece = 0; piece < g.size(); ++piece) {
    UpdateInputs inputs{before[0][piece], g[piece], {}, norm, lr, step};
    for (size_t i = 0; i < states.size(); ++i)
      inputs.states.push_back(states[i].perRow ? rowStates[i] : before[i + 1][piece]);
    for (auto [i, value] : llvm::enumerate(optimizer.emitUpdate(b, inputs)))
      after[i].push_back(value);
  }
  for (size_t i = 0; i <= states.size(); ++i)
    if (i > 0 && states[i - 1].perRow)
      b.ifThen(b.equal(lane, b.i64(0)), [&] { b.store(after[i].front(), columnsOf(i, row)); });
    else
      columns.store(after[i], columnsOf(i, row), {});
}

void RowStep::update(const Row &row, Value lane) {
  Value mean = optimizer.needsRowNorm() ? norm(row, lane) : Value();
  KernelBuilder::Values whole = rowStates(row, lane);
  b.ifThen(row.active, [&] {
    forEachBlock(b, of.team, lane, [&](const LaneColumns &columns) { updateColumns(columns, row, lane, mean, whole); });
  });
}

static void stepSegments(KernelBuilder &b, int64_t dim, OptimizerAttrInterface optimizer) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  Segments of(b, team, b.argument(2), b.argument(3));
  RowStep step(of, optimizer, b.argument(4));
  Value position = b.add(of.from, mine.unit);
  auto head = [&] { return KernelBuilder::Values{of.isHead(position)}; };
  auto no = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(false))}; };
  Value active = b.ifElse(b.less(position, of.to), b.getI1Type(), head, no).front();
  auto find = [&] {
    auto type = layout::UpdateEntry::type(b.getContext());
    Value key = of.key(position);
    Value entry = entryOf(b, type, b.argument(0), b.argument(1), key, layout::UpdateEntry::key);
    KernelBuilder::Values found = of.extent(position).values();
    found.push_back(b.sub(key, b.field(entry, type, layout::UpdateEntry::key)));
    found.push_back(entry);
    return found;
  };
  Type i64 = b.getI64Type();
  auto nothing = [&] {
    Value zero = b.i64(0);
    return KernelBuilder::Values{zero, zero, zero, zero, zero, LLVM::ZeroOp::create(b, b.pointer())};
  };
  KernelBuilder::Values found = b.ifElse(active, {i64, i64, i64, i64, i64, b.pointer()}, find, nothing);
  step.update({active, found[5], found[4], Segments::Extent::of(found)}, mine.lane);
}

LLVM::GlobalOp GpuKernels::step(int64_t dim, OptimizerAttrInterface optimizer) {
  std::string name = ("step_" + optimizer.getRule() + "_d" + llvm::Twine(dim)).str();
  return finishedSegments(name, dim, optimizer, stepArguments,
                          [&](KernelBuilder &b) { stepSegments(b, dim, optimizer); });
}
