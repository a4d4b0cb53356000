// Sums of segments of row gradients; those that lie in several chunks of positions are summed chunk by chunk first, a
// team of lanes for each chunk, so that a row that occurs everywhere is shared out.
#include "codegen/GPU/kernels/Segments.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

Segments::Segments(KernelBuilder &b, const RowTeam &team, Value sorted, Value partial)
    : b(b), team(team), partial(partial) {
  b.setResidentBlocks(fewerResidentBlocks(team));
  auto type = layout::Sorted::type(b.getContext());
  keys = b.field(sorted, type, layout::Sorted::keys);
  order = b.field(sorted, type, layout::Sorted::order);
  gradient = b.field(sorted, type, layout::Sorted::gradient);
  weight = b.field(sorted, type, layout::Sorted::weight);
  from = b.field(sorted, type, layout::Sorted::from);
  to = b.field(sorted, type, layout::Sorted::to);
}

Value Segments::isHead(Value position) {
  auto yes = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(true))}; };
  auto differs = [&] {
    Value before = key(b.sub(position, b.i64(1)));
    return KernelBuilder::Values{b.compare(arith::CmpIPredicate::ne, before, key(position))};
  };
  return b.ifElse(b.equal(position, from), b.getI1Type(), yes, differs).front();
}

Segments::Extent Segments::extent(Value head) {
  Value mine = key(head), chunk = chunkOf(head), chunks = b.add(chunkOf(b.sub(to, b.i64(1))), b.i64(1));
  Value next = b.add(chunk, b.i64(1));
  Value after = b.firstNot(next, chunks, [&](Value chunk) { return b.equal(key(chunkStart(chunk)), mine); });
  Value lastChunk = b.sub(after, b.i64(1));
  Value most = b.minimum(chunkStart(next), to);
  most = b.select(b.equal(chunk, lastChunk), most, head);
  Value end = b.firstNot(head, most, [&](Value position) { return b.equal(key(position), mine); });
  return {head, end, chunk, lastChunk};
}

KernelBuilder::Values Segments::addRows(const LaneColumns &columns, Value position, int64_t count, ValueRange sum) {
  SmallVector<Value> places, factors;
  for (int64_t i = 0; i < count; ++i) {
    Value place = b.load(b.getI32Type(), order, b.add(position, b.i64(i)), Memory::constant);
    place = arith::ExtUIOp::create(b, b.getI64Type(), place);
    places.push_back(b.load(b.pointer(), gradient, place, Memory::constant));
    factors.push_back(columns.spread(b.load(b.getF32Type(), weight, place, Memory::constant)));
  }
  SmallVector<KernelBuilder::Values> rows; // those of an exchange lie one behind the other, at any multiple of 4 bytes
  for (Value place : places)
    rows.push_back(columns.load(place, b.isAligned(place, team.width * 4), Memory::constant));
  KernelBuilder::Values result(sum);
  for (int64_t i = 0; i < count; ++i)
    for (auto [before, value] : llvm::zip(result, rows[i]))
      before = math::FmaOp::create(b, factors[i], value, before);
  return result;
}

KernelBuilder::Values Segments::sum(const LaneColumns &columns, Value first, Value last) {
  int64_t together = rowsInFlight(columns);
  Value whole = b.sub(last, b.rem(b.sub(last, first), together));
  auto add = [&](int64_t count) {
    return [&, count](Value position, ValueRange sum) { return addRows(columns, position, count, sum); };
  };
  KernelBuilder::Values sum = b.loop(first, whole, together, columns.zeros(), add(together));
  return b.loop(whole, last, 1, sum, add(1));
}

KernelBuilder::Values Segments::sum(const LaneColumns &columns, const Extent &extent) {
  KernelBuilder::Values here = sum(columns, extent.head, extent.end);
  auto pieces = [&] {
    KernelBuilder::Values first = columns.load(partialRow(b, partial, extent.chunk, 1, team.dim), Memory::constant);
    Value next = b.add(extent.chunk, b.i64(1)), end = b.add(extent.lastChunk, b.i64(1));
    return b.loop(next, end, 1, first, [&](Value chunk, ValueRange before) {
      KernelBuilder::Values after;
      for (auto [x, y] : llvm::zip(before, columns.load(partialRow(b, partial, chunk, 0, team.dim), Memory::constant)))
        after.push_back(arith::AddFOp::create(b, x, y));
      return after;
    });
  };
  SmallVector<Type> types(here.size(), columns.type());
  return b.ifElse(b.less(extent.chunk, extent.lastChunk), types, pieces, [&] { return here; });
}

/// Positions of a chunk that belong to a segment of other chunks, too: [start, lead) to one that began before,
/// [trail, end) to one that goes on and began here.
static void sumChunk(Segments &of, Value chunk, Value lane) {
  KernelBuilder &b = of.b;
  Value start = of.chunkStart(chunk), end = b.minimum(b.add(start, b.i64(chunkPositions)), of.to);
  Value lastKey = of.key(b.sub(end, b.i64(1))), firstKey = of.key(start);
  auto none = [&](Value at) { return [at] { return KernelBuilder::Values{at}; }; };
  auto leads = [&] {
    return KernelBuilder::Values{
        b.add(b.last(start, end, [&](Value at) { return b.equal(of.key(at), firstKey); }), b.i64(1))};
  };
  Value lead = b.ifElse(of.isHead(start), b.getI64Type(), none(start), leads).front();
  auto goesOn = [&] { return KernelBuilder::Values{b.equal(of.key(end), lastKey)}; };
  auto no = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(false))}; };
  Value on = b.ifElse(b.less(end, of.to), b.getI1Type(), goesOn, no).front();
  auto trails = [&] { // behind the last of a smaller key
    Value last = b.last(b.sub(start, b.i64(1)), end, [&](Value at) { return b.less(of.key(at), lastKey); });
    return KernelBuilder::Values{b.maximum(b.add(last, b.i64(1)), lead)};
  };
  Value trail = b.ifElse(on, b.getI64Type(), trails, none(end)).front();
  forEachBlock(b, of.team, lane, [&](const LaneColumns &columns) {
    int64_t slot = 0;
    for (auto [from, to] : {std::pair(start, lead), std::pair(trail, end)}) {
      Value place = partialRow(b, of.partial, chunk, slot++, of.team.dim);
      b.ifThen(b.less(from, to), [&, from = from, to = to] { columns.store(of.sum(columns, from, to), place, {}); });
    }
  });
}

void device::sumPieces(KernelBuilder &b, int64_t dim) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  Segments of(b, team, b.argument(0), b.argument(1));
  b.ifThen(b.less(of.chunkStart(mine.unit), of.to), [&] { sumChunk(of, mine.unit, mine.lane); });
}
