// Pieces of user text inside messages.
#pragma once
#include <string>
#include <string_view>

namespace sparsec::data {

/// In backticks; bytes that do not print as \xNN, long texts cut.
std::string quoted(std::string_view text);
/// Characters of UTF-8 text (bytes that are not UTF-8 count one each, as far as they are no continuation bytes).
size_t characters(std::string_view text);

} // namespace sparsec::data
