// Sums of row gradients that replicas exchange: a team for each position; where a segment begins, its sum and its row.
#include "codegen/GPU/kernels/Segments.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static void writeSum(Segments &of, Value position, Value lane, Value runs) {
  KernelBuilder &b = of.b;
  auto type = layout::SumEntry::type(b.getContext());
  Value key = of.key(position);
  Value entry = entryOf(b, type, b.argument(0), b.argument(1), key, layout::SumEntry::key);
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  Value run = arith::ExtUIOp::create(b, b.getI64Type(), b.load(b.getI32Type(), runs, position, Memory::constant));
  Value number = b.sub(run, field(layout::SumEntry::firstRun));
  Value out = b.floatAt(field(layout::SumEntry::out), b.mul(number, b.i64(of.team.dim)));
  Value aligned = b.isAligned(out, of.team.width * 4);
  Segments::Extent extent = of.extent(position);
  forEachBlock(b, of.team, lane,
               [&](const LaneColumns &columns) { columns.store(of.sum(columns, extent), out, aligned); });
  b.ifThen(b.equal(lane, b.i64(0)), [&] {
    Value row = b.add(b.sub(key, field(layout::SumEntry::key)), field(layout::SumEntry::row0));
    b.store(row, field(layout::SumEntry::rows), number);
  });
}

LLVM::GlobalOp GpuKernels::segmentSum(int64_t dim) {
  auto sum = [&](KernelBuilder &b) {
    RowTeam team(dim);
    TeamUnit mine(b, team);
    Segments of(b, team, b.argument(2), b.argument(3));
    Value position = b.add(of.from, mine.unit);
    b.ifThen(b.less(position, of.to),
             [&] { b.ifThen(of.isHead(position), [&] { writeSum(of, position, mine.lane, b.argument(4)); }); });
  };
  return finishedSegments("segment_sum_d" + std::to_string(dim), dim, {}, "plppp", sum);
}
