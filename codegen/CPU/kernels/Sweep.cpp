// `update: whole`: one optimizer step of every row of a part, with gradient 0 where no segment has the row.
#include "codegen/CPU/kernels/Step.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// The first segment whose row is not below `row`.
static Value firstSegment(KernelBuilder &b, const Segments &of, Value row) {
  auto i64 = b.getI64Type();
  auto search = scf::WhileOp::create(b, TypeRange{i64, i64}, ValueRange{b.i64(0), of.segments});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&search.getBefore(), {}, {i64, i64}, {b.getLoc(), b.getLoc()});
  Value low = before->getArgument(0), high = before->getArgument(1);
  scf::ConditionOp::create(b, b.compare(arith::CmpIPredicate::slt, low, high), before->getArguments());
  Block *after = b.createBlock(&search.getAfter(), {}, {i64, i64}, {b.getLoc(), b.getLoc()});
  low = after->getArgument(0);
  high = after->getArgument(1);
  Value middle = arith::ShRUIOp::create(b, b.add(low, high), b.i64(1));
  Value below = b.compare(arith::CmpIPredicate::slt, b.loadI64(of.rows, middle), row);
  Value newLow = arith::SelectOp::create(b, below, b.add(middle, b.i64(1)), low);
  Value newHigh = arith::SelectOp::create(b, below, high, middle);
  scf::YieldOp::create(b, ValueRange{newLow, newHigh});
  return search.getResult(0);
}

LLVM::LLVMFuncOp Kernels::sweep(int64_t dim, OptimizerAttrInterface optimizer) {
  std::string name = ("sweep_" + optimizer.getRule() + "_d" + llvm::Twine(dim)).str();
  return get(name, optimizer, [&](KernelBuilder &b) {
    RowStep step(b, dim, optimizer);
    const Segments &of = step.of;
    auto i64 = b.getI64Type();
    Value last = b.sub(b.loadI64(of.start, of.segments), b.i64(1));
    b.loop(b.begin, b.end, firstSegment(b, of, b.begin), [&](Value row, ValueRange next) {
      Value s = next.front(), left = b.compare(arith::CmpIPredicate::slt, s, of.segments);
      SmallVector<Value> found = b.ifElse(
          left, {i64, i64, i64},
          [&] {
            Value here = b.compare(arith::CmpIPredicate::eq, b.loadI64(of.rows, s), row), after = b.add(s, b.i64(1));
            Value from = b.loadI64(of.start, s);
            Value to = arith::SelectOp::create(b, here, b.loadI64(of.start, after), from);
            return SmallVector<Value>{from, to, arith::SelectOp::create(b, here, after, s)};
          },
          [&] {
            return SmallVector<Value>{b.i64(0), b.i64(0), s};
          });
      step.update(row, found[0], found[1], last);
      return SmallVector<Value>{found[2]};
    });
  });
}
