// Text to numbers, without locale and without partial matches.
#pragma once
#include <cstdint>
#include <string_view>

namespace sparsec::data {

enum class NumberText { Good, NotANumber, NotFinite, TooLarge };

/// Decimal, with an optional sign, fraction and exponent; correctly rounded. `nan` and `inf` are NotFinite.
NumberText parseNumber(std::string_view text, double &value);
/// Decimal int64 with an optional minus sign. TooLarge: it needs more than 64 bits.
NumberText parseInteger(std::string_view text, int64_t &value);

} // namespace sparsec::data
