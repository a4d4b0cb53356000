#include "RowSplitter.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sparsec::data {
namespace {

static_assert(std::endian::native == std::endian::little, "the byte masks below are little-endian");

constexpr uint64_t lows = 0x7f7f7f7f7f7f7f7full;

/// The high bit of each byte of `word` that equals the byte all of `pattern` consists of.
uint64_t matches(uint64_t word, uint64_t pattern) {
  uint64_t x = word ^ pattern;
  return ~(((x & lows) + lows) | x | lows);
}

} // namespace

RowSplitter::RowSplitter(const DataFormat &format)
    : delimiter(format.delimiter.empty() ? ',' : format.delimiter[0]),
      quote(format.quote.empty() ? 0 : format.quote[0]), trim(format.trim), quotes(!format.quote.empty()) {}

const char *RowSplitter::split(std::string_view line, std::vector<std::string_view> &fields, size_t &fault) {
  fields.clear();
  if (quotes && std::memchr(line.data(), quote, line.size()))
    return splitQuoted(line, fields, fault);
  splitPlain(line, fields);
  return nullptr;
}

std::string_view RowSplitter::trimmed(std::string_view text) const {
  if (!trim)
    return text;
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Eight bytes at a time: fields are so short that a search for each would cost more than the bytes.
void RowSplitter::splitPlain(std::string_view line, std::vector<std::string_view> &fields) const {
  const uint64_t pattern = 0x0101010101010101ull * static_cast<unsigned char>(delimiter);
  const char *start = line.data(), *p = start, *end = start + line.size();
  auto field = [&](const char *stop) {
    fields.push_back(trimmed({start, size_t(stop - start)}));
    start = stop + 1;
  };
  for (; end - p >= 8; p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    for (uint64_t found = matches(word, pattern); found; found &= found - 1)
      field(p + std::countr_zero(found) / 8);
  }
  for (; p < end; ++p)
    if (*p == delimiter)
      field(p);
  field(end);
}

/// CSV: a field that begins with the quote ends with it, and a doubled quote inside is one quote. A quote elsewhere in
/// a field is text.
const char *RowSplitter::splitQuoted(std::string_view line, std::vector<std::string_view> &fields, size_t &fault) {
  starts.clear();
  unquoted.clear();
  unquoted.reserve(line.size()); // views into it stay good
  for (size_t at = 0;; ++at) {
    starts.push_back(at);
    size_t open = at;
    while (trim && open < line.size() && isBlank(line[open]))
      ++open;
    if (open == line.size() || line[open] != quote) {
      size_t end = std::min(line.find(delimiter, at), line.size());
      fields.push_back(trimmed(line.substr(at, end - at)));
      at = end;
    } else {
      size_t text = unquoted.size();
      at = open + 1;
      for (; at < line.size(); ++at) {
        if (line[at] == quote && (at + 1 == line.size() || line[at + 1] != quote))
          break;
        at += line[at] == quote;
        unquoted.push_back(line[at]);
      }
      if (at == line.size()) {
        fault = open;
        return "the quote is not closed; quoted fields do not span lines";
      }
      ++at;
      while (trim && at < line.size() && isBlank(line[at]))
        ++at;
      if (at < line.size() && line[at] != delimiter) {
        fault = at;
        return "text follows the closing quote";
      }
      fields.emplace_back(unquoted.data() + text, unquoted.size() - text);
    }
    if (at >= line.size())
      return nullptr;
  }
}

size_t RowSplitter::startOf(std::string_view line, size_t field) {
  std::vector<std::string_view> fields;
  size_t fault = 0;
  if (quotes && std::memchr(line.data(), quote, line.size())) {
    splitQuoted(line, fields, fault);
    return field < starts.size() ? starts[field] : line.size();
  }
  size_t at = 0;
  for (; field > 0; --field) {
    at = line.find(delimiter, at);
    if (at == std::string_view::npos)
      return line.size();
    ++at;
  }
  return at;
}

} // namespace sparsec::data
