// Element-wise ops on buffers.
//
// Flat: a thread takes four neighbouring elements with 16-byte accesses where buffers allow it (the last ones alone),
// else one. Matrix: a group of threads walks a few rows, so strided buffers and coordinates need no division.
#include "codegen/GPU/DenseCost.h"
#include "codegen/GPU/DenseShapes.h"
#include "codegen/GPU/Launch.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// Rows that a group of threads walks: what is done once for a thread, finding its op among merged ones, is shared.
static constexpr int64_t rowsOfGroup = 4;

int64_t codegen::threadsOfRow(int64_t columns) {
  return std::min<int64_t>(denseThreads, llvm::PowerOf2Ceil(std::max<int64_t>(1, columns)));
}

static void emitFlat(DenseBuilder &b, ArrayRef<PointOp> points, ValueRange words, Value block, Value n, int64_t lanes) {
  Value zero = b.i64(0), at = b.add(b.mul(block, b.i64(denseThreads)), b.thread());
  auto run = [&](Value place, int64_t count) {
    PointCode code(b, words);
    for (const PointOp &point : points)
      code.run(point, zero, place, count);
  };
  if (lanes == 1)
    return b.ifThen(b.less(at, n), [&] { run(at, 1); });
  Value begin = b.mul(at, b.i64(lanes)), end = b.add(begin, b.i64(lanes));
  b.ifElse(
      b.less(n, end), {},
      [&] {
        b.loop(begin, n, 1, [&](Value place) { run(place, 1); });
        return DenseBuilder::Values();
      },
      [&] {
        run(begin, lanes);
        return DenseBuilder::Values();
      });
}

static void emitMatrix(DenseBuilder &b, ArrayRef<PointOp> points, ValueRange words, Value block, Value rows,
                       Value columns, int64_t lanes, int64_t across) {
  Value thread = b.thread();
  int64_t down = denseThreads / across;
  Value begin = b.mul(block, b.i64(down * rowsOfGroup)), end = b.minimum(rows, b.add(begin, b.i64(down * rowsOfGroup)));
  Value first = b.mul(b.remainder(thread, across), b.i64(lanes));
  b.loop(b.add(begin, b.quotient(thread, across)), end, down, [&](Value i) {
    b.loop(first, columns, across * lanes, [&](Value j) {
      PointCode code(b, words);
      for (const PointOp &point : points)
        code.run(point, i, j, lanes);
    });
  });
}

LogicalResult codegen::launchElementwise(const DenseMemory &memory, DenseWork work, DenseLaunches &launches) {
  auto launch = std::make_unique<DenseLaunch>(work.anchor, "elementwise");
  launch->work = costOf(work.points);
  ImplicitLocOpBuilder host(work.anchor->getLoc(), work.anchor);
  linalg::GenericOp front = work.points.front();
  bool flat = llvm::all_of(work.points, isFlat);
  SmallVector<PointOp> points;
  for (linalg::GenericOp op : work.points) {
    FailureOr<PointOp> point = describePoint(host, *launch, op, flat ? PointDomain::flat : PointDomain::matrix);
    if (failed(point))
      return failure();
    points.push_back(*point);
    llvm::append_range(launch->accesses, memory.of(op));
  }
  unsigned loops = front.getNumLoops();
  Value one = RuntimeCalls(host).constant64(1), rows = loops == 2 ? extentOf(host, front, 0) : one;
  Value columns = loops > 0 ? extentOf(host, front, loops - 1) : one;
  int64_t lanes = isVector(points) ? 4 : 1;
  if (flat) {
    Value count = loops == 2 ? arith::MulIOp::create(host, rows, columns) : columns;
    size_t n = launch->addWord(host, count);
    launch->blocks = device::ceilDiv(host, count, denseThreads * lanes);
    launch->emit = [=](DenseBuilder &b, ValueRange words, Value block) {
      emitFlat(b, points, words, block, words[n], lanes);
    };
  } else {
    int64_t known = loops > 0 ? staticExtentOf(front, loops - 1) : 1;
    if (known % 4 != 0 || ShapedType::isDynamic(known))
      lanes = 1;
    // A warp for all but the narrowest rows: rows of several widths are then walked by the same code, in one launch.
    int64_t across = ShapedType::isDynamic(known) || known >= 16 ? 32 : threadsOfRow(known / lanes);
    size_t r = launch->addWord(host, rows), c = launch->addWord(host, columns);
    launch->blocks = device::ceilDiv(host, rows, denseThreads / across * rowsOfGroup);
    launch->emit = [=](DenseBuilder &b, ValueRange words, Value block) {
      emitMatrix(b, points, words, block, words[r], words[c], lanes, across);
    };
  }
  launches.push_back(std::move(launch));
  return success();
}
