// Sum pooling by bag: a team of lanes for each bag, its columns in registers, positions in order.
//
// Bound by memory: a lane has the rows of several positions in flight. They are still added one by one, so the bits are
// those of a plain loop.
#include "codegen/GPU/kernels/LookupRows.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static Type typeOf(KernelBuilder &b, RowElement element) {
  return element == RowElement::f32 ? b.getF32Type() : element == RowElement::f16 ? b.getF16Type() : b.getBF16Type();
}

LookupRows::LookupRows(KernelBuilder &b, const RowTeam &team, RowElement element, int64_t rowsInFlight, Value entry)
    : b(b), team(team), rowsInFlight(rowsInFlight), element(typeOf(b, element)), entry(entry) {
  auto type = layout::LookupEntry::type(b.getContext());
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  first = field(layout::LookupEntry::first);
  offsets = field(layout::LookupEntry::offsets);
  values = field(layout::LookupEntry::values);
  weights = field(layout::LookupEntry::weights);
  Value rowZero = b.mul(field(layout::LookupEntry::row0), b.i64(-team.dim)); // where global row 0 would be
  table = b.at(field(layout::LookupEntry::table), this->element, rowZero);
  out = field(layout::LookupEntry::out);
}

KernelBuilder::Values LookupRows::addRows(const LaneColumns &columns, Value position, int64_t count, ValueRange sum,
                                          bool weighted) {
  SmallVector<Value> places, factors;
  for (int64_t i = 0; i < count; ++i) {
    Value at = b.add(position, b.i64(i));
    places.push_back(b.at(table, element, b.mul(b.loadI64(values, at), b.i64(team.dim))));
    if (weighted)
      factors.push_back(columns.spread(b.load(b.getF32Type(), weights, at, Memory::constant)));
  }
  SmallVector<KernelBuilder::Values> rows;
  for (Value place : places)
    rows.push_back(columns.loadAs(element, place, Memory::constant));
  KernelBuilder::Values result(sum);
  for (int64_t i = 0; i < count; ++i)
    for (auto [before, value] : llvm::zip(result, rows[i]))
      before = weighted ? math::FmaOp::create(b, factors[i], value, before).getResult()
                        : arith::AddFOp::create(b, before, value).getResult();
  return result;
}

KernelBuilder::Values LookupRows::sum(const LaneColumns &columns, Value from, Value to, bool weighted) {
  int64_t together = rowsInFlight;
  Value whole = b.sub(to, b.rem(b.sub(to, from), together));
  auto add = [&](int64_t count) {
    return [&, count](Value position, ValueRange sum) { return addRows(columns, position, count, sum, weighted); };
  };
  KernelBuilder::Values sum = b.loop(from, whole, together, columns.zeros(), add(together));
  return b.loop(whole, to, 1, sum, add(1));
}

void LookupRows::withWeights(bool weighted, llvm::function_ref<void(bool)> body) {
  if (!weighted)
    return body(false);
  auto form = [&](bool weighted) {
    return [&body, weighted] {
      body(weighted);
      return KernelBuilder::Values();
    };
  };
  b.ifElse(b.isNull(weights), {}, form(false), form(true));
}

int64_t device::rowsInFlight(const LaneColumns &columns) {
  return std::clamp<int64_t>(32 / (columns.pieces * columns.team.width), 1, 4);
}

int32_t device::residentBlocks(const RowTeam &team, bool weighted) {
  return team.floatsAtOnce() <= 4 ? (weighted ? 10 : 12) : team.floatsAtOnce() <= 8 ? 8 : 4;
}

int32_t device::fewerResidentBlocks(const RowTeam &team) {
  return team.floatsAtOnce() <= 4 ? 7 : team.floatsAtOnce() <= 8 ? 5 : 3;
}

static void lookupByBag(KernelBuilder &b, const LookupClass &of, const Schedule &schedule) {
  RowTeam team(of.dim, schedule.lanes);
  TeamUnit mine(b, team);
  b.setResidentBlocks(schedule.residentBlocks);
  auto type = layout::LookupEntry::type(b.getContext());
  b.ifThen(hasUnit(b, type, b.argument(0), b.argument(1), mine.unit), [&] {
    Value entry = entryOf(b, type, b.argument(0), b.argument(1), mine.unit);
    LookupRows rows(b, team, of.element, schedule.rows, entry);
    Value bag = b.sub(mine.unit, rows.first);
    Value out = b.floatAt(rows.out, b.mul(bag, b.i64(of.dim)));
    rows.withWeights(of.weighted, [&](bool weighted) {
      Value from = b.loadI64(rows.offsets, bag), to = b.loadI64(rows.offsets, b.add(bag, b.i64(1)));
      Value aligned = b.isAligned(out, team.width * 4); // the bags of an exchange lie one behind the other
      forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
        columns.store(rows.sum(columns, from, to, weighted), out, aligned);
      });
    });
  });
}

LLVM::GlobalOp GpuKernels::lookup(const LookupClass &of, const Schedule &schedule) {
  if (schedule.chunk)
    return splitLookup(of, schedule);
  return get(lookupName(of, schedule), {}, "pl", schedule.threads, [&](KernelBuilder &b) {
    lookupByBag(b, of, schedule);
    b.setSchedule(describe(schedule));
  });
}
LLVM::GlobalOp GpuKernels::lookup(int64_t dim, bool weighted, bool split) {
  LookupClass of{dim, weighted};
  return lookup(of, usualSchedule(of, split));
}
