// Sum pooling of long bags: a team of lanes for each chunk of positions, so that a bag of a thousand ids is shared out;
// then a team for each bag adds the pieces, in order of chunks.
#include "codegen/GPU/kernels/LookupRows.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

Value device::partialRow(KernelBuilder &b, Value partial, Value chunk, int64_t slot, int64_t dim) {
  return b.floatAt(partial, b.mul(b.add(b.mul(chunk, b.i64(2)), b.i64(slot)), b.i64(dim)));
}

namespace {

/// One chunk of an entry's positions.
struct Chunk {
  KernelBuilder &b;
  LookupRows &rows;
  Value lane, chunk, partial, bags, start, end, firstBag;

  Chunk(LookupRows &rows, const TeamUnit &mine, Value partial, int64_t positions)
      : b(rows.b), rows(rows), lane(mine.lane), chunk(mine.unit), partial(partial) {
    auto type = layout::LookupEntry::type(b.getContext());
    Value next = b.field(b.at(rows.entry, type, b.i64(1)), type, layout::LookupEntry::first);
    bags = b.sub(next, rows.first);
    Value number = b.sub(chunk, b.field(rows.entry, type, layout::LookupEntry::firstChunk));
    start = b.add(b.loadI64(rows.offsets, b.i64(0)), b.mul(number, b.i64(positions)));
    end = b.minimum(b.add(start, b.i64(positions)), b.loadI64(rows.offsets, bags));
    firstBag = b.last(b.i64(0), bags, [&](Value bag) {
      return b.compare(arith::CmpIPredicate::sle, b.loadI64(rows.offsets, bag), start);
    });
  }

  /// Sums [position, to) of a bag and puts it where it belongs; `to` is the bag's end or the chunk's.
  void pool(const LaneColumns &columns, Value bag, Value position, Value to, bool weighted) {
    Value bagEnd = b.loadI64(rows.offsets, b.add(bag, b.i64(1)));
    Value before = b.less(b.loadI64(rows.offsets, bag), start), goesOn = b.less(end, bagEnd);
    Value piece = b.select(before, partialRow(b, partial, chunk, 0, rows.team.dim),
                           partialRow(b, partial, chunk, 1, rows.team.dim));
    Value whole = b.floatAt(rows.out, b.mul(bag, b.i64(rows.team.dim)));
    Value place = b.select(b.either(before, goesOn), piece, whole);
    columns.store(rows.sum(columns, position, to, weighted), place, b.isAligned(place, rows.team.width * 4));
  }

  void run(bool weighted) {
    forEachBlock(b, rows.team, lane, [&](const LaneColumns &columns) {
      auto inside = [&](ValueRange at) { return b.less(at[1], end); };
      b.repeat(ValueRange{firstBag, start}, inside, [&](ValueRange at) {
        Value to = b.minimum(b.loadI64(rows.offsets, b.add(at[0], b.i64(1))), end);
        pool(columns, at[0], at[1], to, weighted);
        Value next = b.firstNot(b.add(at[0], b.i64(1)), bags, [&](Value bag) { // past empty bags
          return b.compare(arith::CmpIPredicate::sle, b.loadI64(rows.offsets, b.add(bag, b.i64(1))), to);
        });
        return KernelBuilder::Values{next, to};
      });
    });
  }
};

void poolChunks(KernelBuilder &b, const LookupClass &of, const Schedule &schedule) {
  RowTeam team(of.dim, schedule.lanes);
  TeamUnit mine(b, team);
  b.setResidentBlocks(schedule.residentBlocks);
  auto type = layout::LookupEntry::type(b.getContext());
  Value list = b.argument(0), n = b.argument(1);
  constexpr int32_t firstChunk = layout::LookupEntry::firstChunk;
  b.ifThen(hasUnit(b, type, list, n, mine.unit, firstChunk), [&] {
    LookupRows rows(b, team, of.element, schedule.rows, entryOf(b, type, list, n, mine.unit, firstChunk));
    Chunk chunk(rows, mine, b.argument(2), schedule.chunk);
    rows.withWeights(of.weighted, [&](bool weighted) { chunk.run(weighted); });
  });
}

/// Bags of several chunks: their pieces, in order; bags of none: zeros.
void addPieces(KernelBuilder &b, int64_t dim, int64_t positions) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  auto type = layout::LookupEntry::type(b.getContext());
  b.ifThen(hasUnit(b, type, b.argument(0), b.argument(1), mine.unit), [&] {
    Value entry = entryOf(b, type, b.argument(0), b.argument(1), mine.unit), partial = b.argument(2);
    Value bag = b.sub(mine.unit, b.field(entry, type, layout::LookupEntry::first));
    Value offsets = b.field(entry, type, layout::LookupEntry::offsets), origin = b.loadI64(offsets, b.i64(0));
    Value from = b.sub(b.loadI64(offsets, bag), origin);
    Value to = b.sub(b.loadI64(offsets, b.add(bag, b.i64(1))), origin);
    Value empty = b.equal(from, to);
    Value first = b.div(from, positions), last = b.div(b.sub(to, b.i64(1)), positions);
    b.ifThen(b.either(empty, b.less(first, last)), [&] {
      Value before = b.field(entry, type, layout::LookupEntry::firstChunk);
      first = b.add(first, before);
      Value end = b.select(empty, first, b.add(b.add(last, before), b.i64(1)));
      Value out = b.floatAt(b.field(entry, type, layout::LookupEntry::out), b.mul(bag, b.i64(dim)));
      Value aligned = b.isAligned(out, team.width * 4);
      forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
        KernelBuilder::Values sum = b.loop(first, end, 1, columns.zeros(), [&](Value chunk, ValueRange before) {
          Value slot = b.select(b.equal(chunk, first), b.i64(dim), b.i64(0));
          Value piece = b.floatAt(partialRow(b, partial, chunk, 0, dim), slot);
          KernelBuilder::Values after;
          for (auto [x, y] : llvm::zip(before, columns.load(piece, Memory::constant)))
            after.push_back(arith::AddFOp::create(b, x, y));
          return after;
        });
        columns.store(sum, out, aligned);
      });
    });
  });
}

} // namespace

LLVM::GlobalOp GpuKernels::splitLookup(const LookupClass &of, const Schedule &schedule) {
  std::string finish = "lookup_finish_d" + std::to_string(of.dim);
  if (schedule.chunk != chunkPositions)
    finish += "_c" + std::to_string(schedule.chunk);
  get(finish, {}, "plp", 128, [&](KernelBuilder &b) { addPieces(b, of.dim, schedule.chunk); });
  return get(lookupName(of, schedule), {}, "plp", schedule.threads, [&](KernelBuilder &b) {
    poolChunks(b, of, schedule);
    b.setSplit(schedule.chunk, finish);
    b.setSchedule(describe(schedule));
  });
}
