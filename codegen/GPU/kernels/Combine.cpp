// Rows of several owners into one: out[bag, 0:dim] = sum over sources, in order. One source is a copy.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static void combineBag(KernelBuilder &b, const RowTeam &team, const TeamUnit &mine) {
  auto type = layout::CombineEntry::type(b.getContext());
  Value entry = entryOf(b, type, b.argument(0), b.argument(1), mine.unit);
  auto field = [&](int32_t index) { return b.field(entry, type, index); };
  Value bag = b.sub(mine.unit, field(layout::CombineEntry::first));
  Value source = field(layout::CombineEntry::source), sources = field(layout::CombineEntry::sources);
  Value out = b.floatAt(field(layout::CombineEntry::out), b.mul(bag, field(layout::CombineEntry::stride)));
  Value aligned = b.isAligned(out, team.width * 4);
  forEachBlock(b, team, mine.lane, [&](const LaneColumns &columns) {
    auto load = [&](Value s) {
      Value rows = b.load(b.pointer(), source, s, Memory::constant);
      Value row = b.floatAt(rows, b.mul(bag, b.i64(team.dim)));
      return columns.load(row, b.isAligned(row, team.width * 4), Memory::constant);
    };
    KernelBuilder::Values sum = b.loop(b.i64(1), sources, 1, load(b.i64(0)), [&](Value s, ValueRange before) {
      KernelBuilder::Values after;
      for (auto [x, y] : llvm::zip(before, load(s)))
        after.push_back(arith::AddFOp::create(b, x, y));
      return after;
    });
    columns.store(sum, out, aligned);
  });
}

LLVM::GlobalOp GpuKernels::combine(int64_t dim) {
  return get("combine_d" + std::to_string(dim), {}, "pl", 128, [&](KernelBuilder &b) {
    RowTeam team(dim);
    TeamUnit mine(b, team);
    auto type = layout::CombineEntry::type(b.getContext());
    b.ifThen(hasUnit(b, type, b.argument(0), b.argument(1), mine.unit), [&] { combineBag(b, team, mine); });
  });
}
