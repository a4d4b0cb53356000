// Coefficients of exp and tanh: S. Moshier, Cephes mathematical library (expf, tanhf). log1p: the series of 2 atanh(s).
#include "codegen/Common/FloatMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct F32 {
  ImplicitLocOpBuilder &b;
  Value number(float value) const { return arith::ConstantOp::create(b, b.getF32FloatAttr(value)); }
  Value integer(int32_t value) const { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  Value abs(Value x) const { return math::AbsFOp::create(b, x); }
  Value less(Value x, Value y) const { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); }
  Value select(Value condition, Value x, Value y) const { return arith::SelectOp::create(b, condition, x, y); }
  Value asInteger(Value x) const { return arith::BitcastOp::create(b, b.getI32Type(), x); }
  /// c[0] x^n + ... + c[n]
  Value polynomial(Value x, std::initializer_list<float> c) const {
    Value sum;
    for (float next : c)
      sum = sum ? add(mul(sum, x), number(next)) : number(next);
    return sum;
  }
  /// 2^n for n in [-126, 127]
  Value powerOfTwo(Value n) const {
    Value exponent = arith::AddIOp::create(b, n, integer(127));
    return arith::BitcastOp::create(b, b.getF32Type(), arith::ShLIOp::create(b, exponent, integer(23)));
  }
};
} // namespace

Value codegen::emitExp(ImplicitLocOpBuilder &b, Value x) {
  F32 f{b};
  x = f.select(f.less(x, f.number(-104)), f.number(-104), x); // NaN passes
  x = f.select(f.less(f.number(89), x), f.number(89), x);
  // x = n log 2 + r. Adding `magic` rounds to an integer, which is then in the low bits.
  Value magic = f.number(12582912.0f); // 1.5 * 2^23
  Value shifted = f.add(f.mul(x, f.number(1.44269504088896341f)), magic);
  Value n = arith::SubIOp::create(b, f.asInteger(shifted), f.asInteger(magic)), whole = f.sub(shifted, magic);
  Value r = f.sub(x, f.mul(whole, f.number(0.693359375f))); // exact: few bits in the constant
  r = f.sub(r, f.mul(whole, f.number(-2.12194440e-4f)));
  Value p = f.polynomial(
      r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  p = f.add(f.add(f.mul(p, f.mul(r, r)), r), f.number(1));
  // Two factors, as 2^n alone may be no normal number.
  Value half = arith::ShRSIOp::create(b, n, f.integer(1)), rest = arith::SubIOp::create(b, n, half);
  return f.mul(f.mul(p, f.powerOfTwo(half)), f.powerOfTwo(rest));
}

Value codegen::emitLog1p(ImplicitLocOpBuilder &b, Value x) {
  F32 f{b};
  // log(1 + x) = 2 atanh(s), s = x / (2 + x) <= 1/3
  Value s = f.div(x, f.add(f.number(2), x)), z = f.mul(s, s);
  Value p = f.polynomial(z, {2.0f / 15, 2.0f / 13, 2.0f / 11, 2.0f / 9, 2.0f / 7, 2.0f / 5, 2.0f / 3});
  return f.add(f.mul(f.mul(p, z), s), f.mul(f.number(2), s));
}

Value codegen::emitTanh(ImplicitLocOpBuilder &b, Value x) {
  F32 f{b};
  Value size = f.abs(x), z = f.mul(x, x);
  Value p = f.polynomial(
      z, {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f});
  Value near = f.add(f.mul(f.mul(p, z), x), x);
  Value e = emitExp(b, f.mul(f.number(2), size));
  Value far = f.sub(f.number(1), f.div(f.number(2), f.add(e, f.number(1))));
  Value signedFar = math::CopySignOp::create(b, far, x);
  return f.select(f.less(size, f.number(0.625f)), near, signedFar);
}

Value codegen::emitSigmoid(ImplicitLocOpBuilder &b, Value x) {
  F32 f{b};
  Value one = f.number(1);
  Value e = emitExp(b, arith::NegFOp::create(b, f.abs(x)));
  Value numerator = f.select(f.less(x, f.number(0)), e, one);
  return f.div(numerator, f.add(one, e));
}
