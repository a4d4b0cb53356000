#include "Numbers.h"
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace sparsec::data {
namespace {

/// Up to 15 digits and a point: digits and power of ten are exact, and so the quotient is correctly rounded.
bool parseShort(std::string_view text, double &value) {
  static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  bool negative = text.front() == '-';
  text.remove_prefix(negative);
  if (text.empty() || text.size() > 16)
    return false;
  int64_t digits = 0, n = 0, fraction = -1;
  for (char c : text) {
    if (c == '.' && fraction < 0) {
      fraction = 0;
      continue;
    }
    if (c < '0' || c > '9')
      return false;
    digits = digits * 10 + (c - '0');
    ++n;
    fraction += fraction >= 0;
  }
  if (n == 0 || n > 15)
    return false;
  double magnitude = fraction > 0 ? digits / powers[fraction] : double(digits);
  value = negative ? -magnitude : magnitude;
  return true;
}

} // namespace

NumberText parseNumber(std::string_view text, double &value) {
  if (text.empty())
    return NumberText::NotANumber;
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.empty() || text.front() == '-' || text.front() == '+')
      return NumberText::NotANumber;
  }
  if (parseShort(text, value))
    return NumberText::Good;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    return NumberText::NotANumber;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small: only strtod tells which, and it gives the rounded small number.
    value = std::strtod(std::string(text).c_str(), nullptr);
    return std::isinf(value) ? NumberText::TooLarge : NumberText::Good;
  }
  return std::isfinite(value) ? NumberText::Good : NumberText::NotFinite;
}

NumberText parseInteger(std::string_view text, int64_t &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
    return NumberText::NotANumber;
  return error == std::errc::result_out_of_range ? NumberText::TooLarge : NumberText::Good;
}

} // namespace sparsec::data
