// `dropout`: Philox in integer arithmetic inside an element-wise loop; Dropout.h defines it.
#include "codegen/Common/DenseLowering.h"
#include "codegen/Common/Dropout.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
/// 32-bit words in i32; products in i64.
struct Words {
  ImplicitLocOpBuilder &b;
  Value word(uint32_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value))); }
  Value low(Value wide) { return arith::TruncIOp::create(b, b.getI32Type(), wide); }
  Value high(Value wide) {
    return low(arith::ShRUIOp::create(b, wide, arith::ConstantOp::create(b, b.getI64IntegerAttr(32))));
  }
  Value multiply(uint32_t factor, Value x) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), x);
    return arith::MulIOp::create(b, wide, arith::ConstantOp::create(b, b.getI64IntegerAttr(int64_t(factor))));
  }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
};
} // namespace

/// As sparsec::philox in runtime/include/sparsec/Philox.h.
static Value philoxFirstWord(ImplicitLocOpBuilder &b, std::array<Value, 4> counter, PhiloxKey key) {
  Words w{b};
  for (int round = 0; round < 10; ++round) {
    Value product0 = w.multiply(0xD2511F53, counter[0]), product1 = w.multiply(0xCD9E8D57, counter[2]);
    counter = {w.exclusiveOr(w.exclusiveOr(w.high(product1), counter[1]), w.word(key[0])), w.low(product1),
               w.exclusiveOr(w.exclusiveOr(w.high(product0), counter[3]), w.word(key[1])), w.low(product0)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter[0];
}

static SmallVector<Value> lowerDropout(ImplicitLocOpBuilder &b, rec::DropoutOp op) {
  StringRef stream = op.getStream();
  DropoutRule rule({stream.data(), stream.size()}, uint64_t(op.getSeed()), op.getRate().convertToDouble());
  auto i64 = b.getI64Type();
  return {elementwise(b, {op.getX()}, tensorType(op.getY()), [&](ImplicitLocOpBuilder &ib, ValueRange x) -> Value {
    Words w{ib};
    Value row = arith::IndexCastOp::create(ib, i64, linalg::IndexOp::create(ib, 0));
    Value column = arith::IndexCastOp::create(ib, i64, linalg::IndexOp::create(ib, 1));
    Value sample = arith::AddIOp::create(ib, op.getFirst(), row);
    Value random = philoxFirstWord(
        ib, {w.low(op.getStep()), w.low(sample), w.low(column), w.exclusiveOr(w.high(op.getStep()), w.high(sample))},
        rule.key);
    Value drop = arith::CmpIOp::create(ib, arith::CmpIPredicate::ult, random, w.word(rule.threshold));
    Value kept = arith::MulFOp::create(ib, x[0], number(ib, rule.factor, ib.getF32Type()));
    return arith::SelectOp::create(ib, drop, number(ib, 0, ib.getF32Type()), kept);
  })};
}

void codegen::populateDropoutLowering(RewritePatternSet &patterns) { addLowering(patterns, lowerDropout); }
