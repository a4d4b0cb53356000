// The number a parameter starts from, as a pure function of (seed, parameter name, row, column): whoever owns the
// element computes the same bits, on any plan and rank count.
//
// Key of the Philox4x32-10 generator: XXH64(name, seed), low word first. Counter of element (row, column): {row low,
// row high, column / 4, 0}; its word is number column % 4 of the result, called x below.
//   constant  value
//   uniform   value * (2 floor(x / 2^8) + 1 - 2^24) / 2^24: 2^24 evenly spaced numbers, symmetric, strictly inside
//             +-value. The product is formed in double and rounded once to float.
//   normal    value * inverseNormal((2 x + 1) / 2^33), formed in double and rounded once to float
//   values    values[row * columns + column], rounded to float
// Only IEEE additions, multiplications, divisions and square roots are used, without contraction: same bits everywhere.
#pragma once
#include "sparsec/Philox.h"
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include <cstdint>
#include <string_view>

namespace sparsec {

/// The quantile of the standard normal distribution at p in (0, 1), by the rational approximation of P. J. Acklam
/// (2003; relative error below 1.15e-9) with a logarithm of our own: deterministic, no libm but the exact square root.
double inverseNormal(double p);
/// Natural logarithm of a positive normal number, within 2 units of the last place; the same bits on every platform.
double plainLog(double x);

class InitialValue {
public:
  /// `init` must outlive this. `columns`: of the whole parameter.
  InitialValue(const InitialValues &init, uint64_t seed, std::string_view name, int64_t columns);
  /// Kind known, and as many `values` as elements? The message names the parameter.
  static Status check(const InitialValues &init, std::string_view name, int64_t rows, int64_t columns);
  /// out[i] = element (row, col0 + i), i in [0, n).
  void fill(int64_t row, int64_t col0, int64_t n, float *out) const;
  /// Every element is +0: memory that starts as zeros need not be touched.
  bool isZero() const { return kind == Kind::Constant && constant == 0; }

private:
  enum class Kind { Constant, Uniform, Normal, Values };
  template <typename F> void fillRandom(int64_t row, int64_t col0, int64_t n, float *out, F value) const;
  const InitialValues &init;
  Kind kind;
  float constant;
  PhiloxKey key;
  int64_t columns;
};

} // namespace sparsec
