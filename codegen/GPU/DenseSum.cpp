// Sums over rows, columns or both of a matrix.
//
// Over rows (and all): threads walk the rows p, p + P, ... of some columns, P from the number of rows alone, and keep
// partial sums [P, columns]; a second launch adds them up. There, and for sums of rows, a team of threads walks one
// result's numbers k, k + T, ... and adds what its threads have as a tree. So a sum depends on the extents alone.
#include "codegen/Common/Bounds.h"
#include "codegen/GPU/DenseCost.h"
#include "codegen/GPU/DenseShapes.h"
#include "codegen/GPU/Launch.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
constexpr int64_t mostPartials = 512, leastPartials = 32, partialThreads = 1 << 16, rowsWorthAPartial = 8;
/// Threads that add up the partial sums of one column: 16 columns of f64 make a line.
constexpr int64_t columnTeam = 16;

/// Threads for one result.
struct Team {
  int64_t threads;
  bool neighbours; // side by side; else the threads of different results are
};

struct TeamCode {
  Team team;
  Type type;
  size_t results, count; // words: how many there are, and how many numbers each has
  bool startsAtZero;
  std::function<Value(DenseBuilder &, ValueRange words, Value result, Value k, Value sum)> add;
  std::function<void(DenseBuilder &, ValueRange words, Value result, Value sum)> finish;

  void emit(DenseBuilder &b, ValueRange words, Value block) const;
  /// The team's sum of what its threads have: itself, or of several threads the shared memory where lane 0 finds it.
  Value addUp(DenseBuilder &b, Value thread, Value lane, Value sum) const;
};
} // namespace

static Value zeroOf(DenseBuilder &b, Type type) { return arith::ConstantOp::create(b, b.getFloatAttr(type, 0)); }

Value TeamCode::addUp(DenseBuilder &b, Value thread, Value lane, Value sum) const {
  if (team.threads == 1)
    return sum;
  Value shared = b.shared(denseThreads * type.getIntOrFloatBitWidth() / 8);
  b.store(sum, shared, thread);
  for (int64_t half = team.threads / 2; half > 0; half /= 2) {
    b.barrier();
    b.ifThen(b.less(lane, b.i64(half)), [&] {
      int64_t distance = team.neighbours ? half : half * (denseThreads / team.threads);
      Value mine = b.load(type, shared, thread), other = b.load(type, shared, b.add(thread, b.i64(distance)));
      b.store(arith::AddFOp::create(b, mine, other), shared, thread);
    });
  }
  return shared;
}

void TeamCode::emit(DenseBuilder &b, ValueRange words, Value block) const {
  int64_t teams = denseThreads / team.threads;
  Value thread = b.thread();
  Value lane = team.neighbours ? b.remainder(thread, team.threads) : b.quotient(thread, teams);
  Value mine = team.neighbours ? b.quotient(thread, team.threads) : b.remainder(thread, teams);
  Value result = b.add(b.mul(block, b.i64(teams)), mine), exists = b.less(result, words[results]);
  Value end = b.select(exists, words[count], b.i64(0));
  Value sum = b.loop(lane, end, team.threads, ValueRange{zeroOf(b, type)}, [&](Value k, ValueRange carried) {
    return SmallVector<Value>{add(b, words, result, k, carried[0])};
  })[0];
  Value total = addUp(b, thread, lane, sum);
  b.ifThen(b.both(exists, b.equal(lane, b.i64(0))),
           [&] { finish(b, words, result, team.threads == 1 ? total : b.load(type, total, thread)); });
}

//===- what is added ---------------------------------------------------------------------------------------------===//

/// The op must add, to its one result, a term that does not depend on it: then terms may be added in any grouping.
static LogicalResult checkAdds(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  Value sum = body.getArguments().back();
  if (op.getNumDpsInits() == 1 && sum.hasOneUse())
    if (auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
        add && (add.getLhs() == sum) != (add.getRhs() == sum))
      return success();
  return op.emitOpError("expected a sum: one result, and a body that adds a term to it");
}

/// The result of a sum and the ops behind it, in the launch that has the whole sums.
static FailureOr<std::function<void(DenseBuilder &, ValueRange, Value, Value)>>
describeFinish(ImplicitLocOpBuilder &host, const DenseMemory &memory, DenseWork work, DenseLaunch &launch) {
  Value out = work.sum.getDpsInits()[0];
  auto type = cast<MemRefType>(out.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return work.sum.emitOpError("expected sums with known strides, but got ") << type;
  int64_t stride = strides.empty() ? 0 : strides[0];
  size_t word = launch.addPointer(host, out, offset);
  launch.accesses.push_back({memory.rootOf(out), true, out});
  SmallVector<PointOp> tail;
  for (linalg::GenericOp op : work.tail) {
    FailureOr<PointOp> point = describePoint(host, launch, op, PointDomain::matrix);
    if (failed(point))
      return failure();
    tail.push_back(*point);
    llvm::append_range(launch.accesses, memory.of(op));
  }
  Type element = type.getElementType();
  bool startsAtZero = work.startsAtZero;
  return {[=](DenseBuilder &b, ValueRange words, Value result, Value sum) {
    Value place = b.mul(result, b.i64(stride));
    if (!startsAtZero)
      sum = arith::AddFOp::create(b, b.load(element, words[word], place), sum);
    b.store(sum, words[word], place);
    PointCode code(b, words);
    code.forward(out, sum);
    for (const PointOp &point : tail)
      code.run(point, result, point.rank == 2 ? b.i64(0) : result, 1);
  }};
}

static LogicalResult describeAll(ImplicitLocOpBuilder &host, const DenseMemory &memory, DenseWork work,
                                 DenseLaunch &launch, SmallVectorImpl<PointOp> &points) {
  bool vector = work.sum.getNumLoops() == 1;
  for (linalg::GenericOp op : work.points) {
    FailureOr<PointOp> point = describePoint(host, launch, op, vector ? PointDomain::reduced : PointDomain::matrix);
    if (failed(point))
      return failure();
    points.push_back(*point);
    llvm::append_range(launch.accesses, memory.of(op));
  }
  FailureOr<PointOp> sum = describePoint(host, launch, work.sum, vector ? PointDomain::reduced : PointDomain::matrix);
  if (failed(sum))
    return failure();
  points.push_back(*sum);
  for (Value input : work.sum.getDpsInputs())
    if (isa<MemRefType>(input.getType()))
      launch.accesses.push_back({memory.rootOf(input), false, input});
  return success();
}

/// The last of `points` sums; the others come before it.
static void runPoints(DenseBuilder &b, ValueRange words, ArrayRef<PointOp> points, Value i, Value j, int64_t lanes,
                      SmallVectorImpl<Value> &sums) {
  PointCode code(b, words);
  for (const PointOp &point : points.drop_back())
    code.run(point, i, j, lanes);
  code.run(points.back(), i, j, lanes, &sums);
}

/// Of the ops up to the sum, or of all of them.
static Work costOf(const DenseWork &work, bool all) {
  SmallVector<linalg::GenericOp> ops = work.points;
  ops.push_back(work.sum);
  if (all)
    llvm::append_range(ops, work.tail);
  return codegen::costOf(ops, /*stores=*/all);
}

static void setTeam(DenseLaunch &launch, const TeamCode &code) {
  launch.emit = [code](DenseBuilder &b, ValueRange words, Value block) { code.emit(b, words, block); };
}

//===- launches --------------------------------------------------------------------------------------------------===//

/// One sum for each row.
static LogicalResult launchRowSums(const DenseMemory &memory, DenseWork work, DenseLaunches &launches) {
  auto launch = std::make_unique<DenseLaunch>(work.anchor, "row_sum");
  ImplicitLocOpBuilder host(work.anchor->getLoc(), work.anchor);
  SmallVector<PointOp> points;
  if (failed(describeAll(host, memory, work, *launch, points)))
    return failure();
  auto finish = describeFinish(host, memory, work, *launch);
  if (failed(finish))
    return failure();
  int64_t columns = staticExtentOf(work.sum, 1);
  launch->work = costOf(work, /*all=*/true);
  Team team{ShapedType::isDynamic(columns) ? 32 : std::min<int64_t>(32, threadsOfRow((columns + 3) / 4)), true};
  Type type = cast<MemRefType>(work.sum.getDpsInits()[0].getType()).getElementType();
  Value rows = extentOf(host, work.sum, 0);
  size_t r = launch->addWord(host, rows), c = launch->addWord(host, extentOf(host, work.sum, 1));
  launch->blocks = device::ceilDiv(host, rows, denseThreads / team.threads);
  setTeam(*launch, {team, type, r, c, work.startsAtZero,
                    [points](DenseBuilder &b, ValueRange words, Value i, Value j, Value sum) {
                      SmallVector<Value> sums = {sum};
                      runPoints(b, words, points, i, j, 1, sums);
                      return sums[0];
                    },
                    *finish});
  launches.push_back(std::move(launch));
  return success();
}

namespace {
/// Partial sums [count, columns] of the first launch of a sum over rows.
struct Partials {
  Value buffer, count, columns; // of the host; count and columns are i64
  double numbers = 0;           // of a full batch
};
} // namespace

static void emitPartials(DenseBuilder &b, ValueRange words, ArrayRef<PointOp> points, Value block, ArrayRef<size_t> at,
                         Type type, int64_t lanes, int64_t across) {
  Value rows = words[at[0]], columns = words[at[1]], count = words[at[2]], partials = words[at[3]];
  Value thread = b.thread();
  Value p = b.add(b.mul(block, b.i64(denseThreads / across)), b.quotient(thread, across));
  Value first = b.mul(b.remainder(thread, across), b.i64(lanes));
  b.ifThen(b.less(p, count), [&] {
    b.loop(first, columns, across * lanes, [&](Value j) {
      SmallVector<Value> zeros(lanes, zeroOf(b, type));
      SmallVector<Value> sums = b.loopBy(p, rows, count, zeros, [&](Value i, ValueRange carried) {
        SmallVector<Value> next(carried);
        runPoints(b, words, points, i, j, lanes, next);
        return next;
      });
      Value place = b.add(b.mul(p, columns), j);
      for (int64_t lane = 0; lane < lanes; ++lane)
        b.store(sums[lane], partials, b.add(place, b.i64(lane)));
    });
  });
}

static FailureOr<Partials> launchPartials(const DenseMemory &memory, DenseWork work, DenseLaunches &launches) {
  auto launch = std::make_unique<DenseLaunch>(work.anchor, "partial_sum");
  ImplicitLocOpBuilder host(work.anchor->getLoc(), work.anchor);
  RuntimeCalls calls(host);
  SmallVector<PointOp> points;
  if (failed(describeAll(host, memory, work, *launch, points)))
    return failure();
  bool vector = work.sum.getNumLoops() == 1;
  int64_t known = vector ? 1 : staticExtentOf(work.sum, 1);
  if (ShapedType::isDynamic(known))
    return work.sum.emitOpError("expected a known number of columns");
  SmallVector<PointOp> reads = points;
  reads.back().operands.back().reset(); // the sums stay in registers
  int64_t lanes = known % 4 == 0 && isVector(reads) ? 4 : 1;
  int64_t pieces = std::max<int64_t>(1, known / lanes), across = threadsOfRow(pieces);
  int64_t most = std::clamp(partialThreads / pieces, leastPartials, mostPartials);

  Type type = cast<MemRefType>(work.sum.getDpsInits()[0].getType()).getElementType();
  Partials partials;
  partials.buffer =
      memref::AllocOp::create(host, MemRefType::get({most * known}, type), ValueRange(), host.getI64IntegerAttr(64));
  Value rows = extentOf(host, work.sum, 0);
  partials.count = arith::MinUIOp::create(host, device::ceilDiv(host, rows, rowsWorthAPartial), calls.constant64(most));
  partials.columns = calls.constant64(known);
  size_t r = launch->addWord(host, rows), c = launch->addWord(host, partials.columns);
  size_t n = launch->addWord(host, partials.count), out = launch->addPointer(host, partials.buffer, 0);
  launch->accesses.push_back({partials.buffer, true});
  partials.numbers = double(upperBound(partials.count).value_or(most) * known);
  launch->work = costOf(work, /*all=*/false);
  launch->work.bytes += partials.numbers * type.getIntOrFloatBitWidth() / 8;
  launch->blocks = device::ceilDiv(host, partials.count, denseThreads / across);
  launch->emit = [=](DenseBuilder &b, ValueRange words, Value block) {
    emitPartials(b, words, points, block, {r, c, n, out}, type, lanes, across);
  };
  launches.push_back(std::move(launch));
  return partials;
}

/// One result for each column, or one of all.
static LogicalResult launchTotals(const DenseMemory &memory, DenseWork work, const Partials &partials, bool all,
                                  DenseLaunches &launches) {
  auto launch = std::make_unique<DenseLaunch>(work.anchor, "total");
  ImplicitLocOpBuilder host(work.anchor->getLoc(), work.anchor);
  RuntimeCalls calls(host);
  Type type = cast<MemRefType>(partials.buffer.getType()).getElementType();
  size_t from = launch->addPointer(host, partials.buffer, 0);
  launch->accesses.push_back({partials.buffer, false});
  launch->work = codegen::costOf(work.tail);
  double sums = bytesOf(work.sum.getDpsInits()[0]) * (work.startsAtZero ? 1 : 2);
  launch->work.bytes += partials.numbers * type.getIntOrFloatBitWidth() / 8 + sums;
  launch->work.flops += partials.numbers;
  auto finish = describeFinish(host, memory, work, *launch);
  if (failed(finish))
    return failure();
  Value results = all ? calls.constant64(1) : partials.columns;
  Value numbers = all ? arith::MulIOp::create(host, partials.count, partials.columns) : partials.count;
  size_t r = launch->addWord(host, results), c = launch->addWord(host, numbers);
  Team team{all ? denseThreads : columnTeam, all};
  launch->blocks = device::ceilDiv(host, results, denseThreads / team.threads);
  setTeam(*launch, {team, type, r, c, work.startsAtZero,
                    [=](DenseBuilder &b, ValueRange words, Value result, Value k, Value sum) -> Value {
                      Value place = all ? k : b.add(b.mul(k, words[r]), result);
                      return arith::AddFOp::create(b, sum, b.load(type, words[from], place));
                    },
                    *finish});
  launches.push_back(std::move(launch));
  return success();
}

LogicalResult codegen::launchSum(const DenseMemory &memory, DenseWork work, DenseLaunches &launches) {
  if (failed(checkAdds(work.sum)))
    return failure();
  auto iterators = work.sum.getIteratorTypesArray();
  bool rows = iterators.front() == utils::IteratorType::reduction;
  bool columns = iterators.size() == 2 && iterators.back() == utils::IteratorType::reduction;
  if (!rows)
    return launchRowSums(memory, work, launches);
  FailureOr<Partials> partials = launchPartials(memory, work, launches);
  if (failed(partials))
    return failure();
  return launchTotals(memory, work, *partials, columns || iterators.size() == 1, launches);
}
