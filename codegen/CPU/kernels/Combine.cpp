// Rows of several owners into one: out[bag, 0:dim] = sum over sources, in order. One source is a copy.
#include "codegen/CPU/kernels/KernelBuilder.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::LLVMFuncOp Kernels::combine(int64_t dim) {
  return get("combine_d" + std::to_string(dim), {}, [&](KernelBuilder &b) {
    auto type = layout::Combine::type(b.getContext());
    Value source = b.pointerField(b.argument, type, layout::Combine::source);
    Value sources = b.field(b.getI64Type(), b.argument, type, layout::Combine::sources);
    Value stride = b.field(b.getI64Type(), b.argument, type, layout::Combine::stride);
    Value out = b.pointerField(b.argument, type, layout::Combine::out);
    b.loop(b.begin, b.end, [&](Value bag) {
      Value result = b.at(out, b.getF32Type(), b.mul(bag, stride));
      forEachBlock(b, dim, blockColumns, [&](const Columns &columns, Value column) {
        auto load = [&](Value s) {
          Value row = b.row(b.load(b.pointer(), source, s), dim, bag);
          return columns.load(b.at(row, b.getF32Type(), column));
        };
        SmallVector<Value> sum = b.loop(b.i64(1), sources, load(b.i64(0)), [&](Value s, ValueRange before) {
          SmallVector<Value> after;
          for (auto [x, y] : llvm::zip(before, load(s)))
            after.push_back(arith::AddFOp::create(b, x, y));
          return after;
        });
        columns.store(sum, b.at(result, b.getF32Type(), column));
      });
    });
  });
}
