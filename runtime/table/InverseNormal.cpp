// Compiled without contraction (CMakeLists.txt): a fused multiply-add would change last bits between machines.
#include "sparsec/InitialValue.h"
#include <bit>
#include <cmath>

namespace sparsec {

double plainLog(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716: the series in
  // s^2 up to s^23 is short by less than 2^-60 of its value.
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = int64_t(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 0;
  for (int k = 23; k >= 3; k -= 2)
    sum = (sum + 1.0 / k) * z;
  double log = 2.0 * s + 2.0 * s * sum;
  // ln 2 in two pieces: the first has 32 bits, so its product with the exponent is exact.
  constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
  return double(exponent) * high + (double(exponent) * low + log);
}

namespace {

// P. J. Acklam, "An algorithm for computing the inverse normal cumulative distribution function", 2003.
constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                        1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                        -1.328068155288572e+01};
constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                        -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};

double tail(double p) { // p < 0.02425
  double q = std::sqrt(-2.0 * plainLog(p));
  return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
         ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
}

} // namespace

double inverseNormal(double p) {
  if (p < 0.02425)
    return tail(p);
  if (p > 1.0 - 0.02425)
    return -tail(1.0 - p);
  double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

} // namespace sparsec
