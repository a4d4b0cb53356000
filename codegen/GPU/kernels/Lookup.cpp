// Sum pooling by bag: a team of lanes for each bag, its columns in registers, positions in order.
//
// Bound by memory: a lane has the rows of several positions in flight. They are still added one by one, so the bits are
// those of a plain loop.
#include "codegen/GPU/kernels/LookupRows.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

LookupRows::LookupRows(KernelBuilder &b, const RowTeam &team, Value entry) : b(b), team(team), entry(entry) {
  auto type = layout::LookupEntry::type(b.getContext());
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  first = field(layout::LookupEntry::first);
  offsets = field(layout::LookupEntry::offsets);
  values = field(layout::LookupEntry::values);
  weights = field(layout::LookupEntry::weights);
  Value rowZero = b.mul(field(layout::LookupEntry::row0), b.i64(-team.dim)); // where global row 0 would be
  table = b.floatAt(field(layout::LookupEntry::table), rowZero);
  out = field(layout::LookupEntry::out);
}

KernelBuilder::Values LookupRows::addRows(const LaneColumns &columns, Value position, int64_t count, ValueRange sum,
                                          bool weighted) {
  SmallVector<Value> places, factors;
  for (int64_t i = 0; i < count; ++i) {
    Value at = b.add(position, b.i64(i));
    places.push_back(b.floatAt(table, b.mul(b.loadI64(values, at), b.i64(team.dim))));
    if (weighted)
      factors.push_back(columns.spread(b.load(b.getF32Type(), weights, at, Memory::constant)));
  }
  SmallVector<KernelBuilder::Values> rows;
  for (Value place : places)
    rows.push_back(columns.load(place, Memory::constant));
  KernelBuilder::Values result(sum);
  for (int64_t i = 0; i < count; ++i)
    for (auto [before, value] : llvm::zip(result, rows[i]))
      before = weighted ? math::FmaOp::create(b, factors[i], value, before).getResult()
                        : arith::AddFOp::create(b, before, value).getResult();
  return result;
}

KernelBuilder::Values LookupRows::sum(const LaneColumns &columns, Value from, Value to, bool weighted) {
  int64_t together = rowsInFlight(columns);
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

static void lookupByBag(KernelBuilder &b, int64_t dim, bool weighted) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  b.setResidentBlocks(residentBlocks(team, weighted));
  auto type = layout::LookupEntry::type(b.getContext());
  b.ifThen(hasUnit(b, type, b.argument(0), b.argument(1), mine.unit), [&] {
    LookupRows rows(b, team, entryOf(b, type, b.argument(0), b.argument(1), mine.unit));
    Value bag = b.sub(mine.unit, rows.first);
    Value out = b.floatAt(rows.out, b.mul(bag, b.i64(dim)));
    rows.withWeights(weighted, [&](bool weighted) {
      Value from = b.loadI64(rows.offsets, bag), to = b.loadI64(rows.offsets, b.add(bag, b.i64(1)));
      Value aligned = b.isAligned(out, team.width * 4); // the bags of an exchange lie one behind the other
      forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
        columns.store(rows.sum(columns, from, to, weighted), out, aligned);
      });
    });
  });
}

LLVM::GlobalOp GpuKernels::lookup(int64_t dim, bool weighted, bool split) {
  std::string name = "lookup_sum_d" + std::to_string(dim) + (weighted ? "_weighted" : "");
  if (split)
    return splitLookup(name + "_split", dim, weighted);
  return get(name, {}, "pl", 128, [&](KernelBuilder &b) { lookupByBag(b, dim, weighted); });
}
