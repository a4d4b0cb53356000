// `update: whole`: one optimizer step of every row of the updates, with gradient 0 where no segment has it.
#include "codegen/GPU/kernels/Step.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

/// The first of [from, to) whose key is not below `key`; `to` if there is none.
static Value lowerBound(Segments &of, Value key) {
  KernelBuilder &b = of.b;
  Value before = b.last(b.sub(of.from, b.i64(1)), of.to, [&](Value at) { return b.less(of.key(at), key); });
  return b.add(before, b.i64(1));
}

static void sweepRows(KernelBuilder &b, int64_t dim, OptimizerAttrInterface optimizer) {
  RowTeam team(dim);
  TeamUnit mine(b, team);
  Segments of(b, team, b.argument(2), b.argument(3));
  RowStep step(of, optimizer, b.argument(4));
  auto type = layout::UpdateEntry::type(b.getContext());
  Value list = b.argument(0), n = b.argument(1);
  Value active = hasUnit(b, type, list, n, mine.unit);
  auto find = [&] {
    Value entry = entryOf(b, type, list, n, mine.unit), none = b.i64(0);
    Value row = b.sub(mine.unit, b.field(entry, type, layout::UpdateEntry::first));
    Value key = b.add(b.field(entry, type, layout::UpdateEntry::key), row), head = lowerBound(of, key);
    auto here = [&] { return KernelBuilder::Values{b.equal(of.key(head), key)}; };
    auto no = [&] { return KernelBuilder::Values{arith::ConstantOp::create(b, b.getBoolAttr(false))}; };
    Value touched = b.ifElse(b.less(head, of.to), b.getI1Type(), here, no).front();
    SmallVector<Type> types(4, b.getI64Type());
    KernelBuilder::Values found = b.ifElse(
        touched, types, [&] { return of.extent(head).values(); },
        [&] {
          return KernelBuilder::Values{none, none, none, none};
        });
    found.push_back(row);
    found.push_back(entry);
    return found;
  };
  auto nothing = [&] {
    Value zero = b.i64(0);
    return KernelBuilder::Values{zero, zero, zero, zero, zero, LLVM::ZeroOp::create(b, b.pointer())};
  };
  Type i64 = b.getI64Type();
  KernelBuilder::Values found = b.ifElse(active, {i64, i64, i64, i64, i64, b.pointer()}, find, nothing);
  step.update({active, found[5], found[4], Segments::Extent::of(found)}, mine.lane);
}

LLVM::GlobalOp GpuKernels::sweep(int64_t dim, OptimizerAttrInterface optimizer) {
  std::string name = ("sweep_" + optimizer.getRule() + "_d" + llvm::Twine(dim)).str();
  return finishedSegments(name, dim, optimizer, stepArguments, [&](KernelBuilder &b) { sweepRows(b, dim, optimizer); });
}
