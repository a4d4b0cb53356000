#include "TextForMessage.h"
#include <fmt/format.h>

namespace sparsec::data {

std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  bool cut = text.size() > longest;
  if (cut) {
    text = text.substr(0, longest);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80)) // no half characters
      text.remove_suffix(1);
  }
  std::string result = "`";
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  return result + (cut ? "...`" : "`");
}

size_t characters(std::string_view text) {
  size_t n = 0;
  for (char c : text)
    n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

} // namespace sparsec::data
