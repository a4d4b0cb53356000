// Sum pooling by bag: a team of lanes for each bag, its columns in registers, positions in order.
//
// Bound by memory: a lane has the rows of several positions in flight. They are still added one by one, so the bits are
// those of a plain loop.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Positions whose rows are loaded together: up to 32 floats of a lane.
int64_t rowsInFlight(const LaneColumns &columns) {
  return std::clamp<int64_t>(32 / (columns.pieces * columns.team.width), 1, 4);
}

struct Lookup {
  KernelBuilder &b;
  RowTeam team;
  Value offsets, values, weights, table, out;
  Value bag, lane;

  Lookup(KernelBuilder &b, int64_t dim, Value unit, Value lane) : b(b), team(dim), lane(lane) {
    auto type = layout::LookupEntry::type(b.getContext());
    Value entry = entryOf(b, type, b.argument(0), b.argument(1), unit);
    auto field = [&](int32_t index) { return b.field(entry, type, index); };
    bag = b.sub(unit, field(layout::LookupEntry::first));
    offsets = field(layout::LookupEntry::offsets);
    values = field(layout::LookupEntry::values);
    weights = field(layout::LookupEntry::weights);
    Value rowZero = b.mul(field(layout::LookupEntry::row0), b.i64(-dim)); // where global row 0 would be
    table = b.floatAt(field(layout::LookupEntry::table), rowZero);
    out = b.floatAt(field(layout::LookupEntry::out), b.mul(bag, b.i64(dim)));
  }

  /// Adds the rows of `count` positions, loaded together, to `sum`.
  KernelBuilder::Values addRows(const LaneColumns &columns, Value position, int64_t count, ValueRange sum,
                                bool weighted) {
    SmallVector<Value> places;
    SmallVector<Value> factors;
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

  void pool(bool weighted) {
    Value from = b.loadI64(offsets, bag), to = b.loadI64(offsets, b.add(bag, b.i64(1)));
    Value aligned = b.isAligned(out, team.width * 4); // the bags of an exchange lie one behind the other
    forEachBlock(b, team, lane, [&](const LaneColumns &columns) {
      int64_t together = rowsInFlight(columns);
      Value whole = b.sub(to, b.rem(b.sub(to, from), together));
      auto add = [&](int64_t count) {
        return [&, count](Value position, ValueRange sum) { return addRows(columns, position, count, sum, weighted); };
      };
      KernelBuilder::Values sum = b.loop(from, whole, together, columns.zeros(), add(together));
      sum = b.loop(whole, to, 1, sum, add(1));
      columns.store(sum, out, aligned);
    });
  }
};

/// As many blocks of 128 threads as have room for their sums and for the rows in flight: 40, 48, 64 or 128 registers.
int32_t residentBlocks(int64_t floats, bool weighted) {
  return floats <= 4 ? (weighted ? 10 : 12) : floats <= 8 ? 8 : 4;
}

void lookupByBag(KernelBuilder &b, int64_t dim, bool weighted) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  b.setResidentBlocks(residentBlocks(team.floatsAtOnce(), weighted));
  b.ifThen(b.less(mine.unit, b.argument(2)), [&] {
    Lookup lookup(b, dim, mine.unit, mine.lane);
    if (!weighted)
      return lookup.pool(false);
    auto pool = [&](bool weighted) {
      return [&lookup, weighted] {
        lookup.pool(weighted);
        return KernelBuilder::Values();
      };
    };
    b.ifElse(b.isNull(lookup.weights), {}, pool(false), pool(true));
  });
}

} // namespace

LLVM::GlobalOp GpuKernels::lookup(int64_t dim, bool weighted, bool split) {
  std::string name = "lookup_sum_d" + std::to_string(dim) + (weighted ? "_weighted" : "");
  return get(name, {}, "pll", 128, [&](KernelBuilder &b) { lookupByBag(b, dim, weighted); });
}
