#include "passes/Import/Description/Words.h"
#include "passes/Import/Description/Lexer.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::description {
namespace {

// Edit distance where swapping neighbours counts one; more than `limit` is reported as limit + 1.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit)
    return limit + 1;
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

} // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
  if (word.size() > 100)
    return {};
  size_t best = std::max<size_t>(1, std::min<size_t>(3, word.size() / 3)) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates)
    if (size_t d = distance(word, candidate, best - 1); d < best && candidate != word)
      best = d, found = candidate;
  return found;
}

std::string oneOf(const std::vector<std::string_view> &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
  return out;
}

std::string counted(int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string ticked(std::string_view text) {
  bool utf8 = isUtf8(text);
  std::string out = "`";
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (i >= 60 && (byte & 0xC0) != 0x80)
      return out + "...`";
    if (byte == '\t' || byte == '\n' || byte == '\r')
      out += byte == '\t' ? "\\t" : byte == '\n' ? "\\n" : "\\r";
    else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8))
      out += fmt::format("\\x{:02x}", byte);
    else
      out += static_cast<char>(byte);
  }
  return out + "`";
}

std::string decimal(double number) { return fmt::format("{}", number); }

} // namespace sparsec::description
