#include "passes/Import/Description/Pattern.h"
#include "passes/Import/Description/Words.h"
#include <charconv>
#include <fmt/format.h>

namespace sparsec::description {
namespace {

struct Parts {
  std::string before, inside, after;
  bool pattern = false;
  size_t open = 0; // offset of the `{`
};

// Splits at the one pair of braces; `{{` and `}}` become plain braces.
std::optional<Parts> split(const std::string &text, const Place &place, Diagnostics &diagnostics) {
  Parts parts;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    std::string &out = inside ? parts.inside : parts.pattern ? parts.after : parts.before;
    bool twice = i + 1 < text.size() && text[i + 1] == c;
    if (c == '{' && (twice || inside || parts.pattern)) {
      if (!twice || inside) {
        diagnostics.error(place.insideText(i), inside ? "`{` inside braces" : "a second pair of braces")
            .note(inside ? "write `}` first" : "a text has one pair; `{{` is a plain brace");
        return std::nullopt;
      }
      out += c, ++i;
    } else if (c == '{') {
      inside = parts.pattern = true;
      parts.open = i;
    } else if (c == '}' && inside) {
      inside = false;
    } else if (c == '}') {
      if (!twice) {
        diagnostics.error(place.insideText(i), "`}` without `{`").note("`}}` is a plain brace");
        return std::nullopt;
      }
      out += c, ++i;
    } else
      out += c;
  }
  if (inside) {
    diagnostics.error(place.insideText(parts.open), "`{` without `}`").note("`{{` is a plain brace");
    return std::nullopt;
  }
  return parts;
}

bool parseNumber(std::string_view text, uint64_t &number) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && code == std::errc() && end == text.data() + text.size() && number < 1'000'000'000'000'000'000;
}

std::optional<std::vector<std::string>> range(const Parts &parts, size_t dots, const Place &place,
                                              Diagnostics &diagnostics) {
  std::string_view inside = parts.inside, first = inside.substr(0, dots), last = inside.substr(dots + 2);
  uint64_t from = 0, to = 0;
  Place at = place.insideText(parts.open);
  if (!parseNumber(first, from) || !parseNumber(last, to)) {
    diagnostics.error(
        at, fmt::format("expected a range such as `{{1..26}}`, but got {}", ticked("{" + parts.inside + "}")));
    return std::nullopt;
  }
  if (from > to) {
    diagnostics.error(at, fmt::format("expected an ascending range, but got `{{{}}}`", inside))
        .note(fmt::format("write `{{{}..{}}}`", last, first));
    return std::nullopt;
  }
  bool padded = (first.size() > 1 && first[0] == '0') || (last.size() > 1 && last[0] == '0');
  if (padded && first.size() != last.size()) {
    diagnostics.error(at, fmt::format("`{{{}}}` pads to two different widths", inside))
        .note(fmt::format("write `{{{:0{}}..{:0{}}}}`", from, std::max(first.size(), last.size()), to,
                          std::max(first.size(), last.size())));
    return std::nullopt;
  }
  if (to - from >= mostNames) {
    diagnostics.error(
        at, fmt::format("`{{{}}}` makes {} names, but a description has at most {}", inside, to - from + 1, mostNames));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (uint64_t i = from; i <= to; ++i)
    names.push_back(fmt::format("{}{:0{}}{}", parts.before, i, padded ? first.size() : 1, parts.after));
  return names;
}

} // namespace

std::optional<std::vector<std::string>> expandPattern(const std::string &text, const Place &place,
                                                      const GroupLookup &groups,
                                                      const std::vector<std::string_view> &groupNames,
                                                      Diagnostics &diagnostics) {
  if (text.find_first_of("{}") == std::string::npos)
    return std::vector{text};
  auto parts = split(text, place, diagnostics);
  if (!parts)
    return std::nullopt;
  if (!parts->pattern)
    return std::vector{parts->before};
  if (size_t dots = parts->inside.find(".."); dots != std::string::npos)
    return range(*parts, dots, place, diagnostics);
  if (const std::vector<std::string> *members = groups(parts->inside)) {
    std::vector<std::string> names;
    for (const std::string &member : *members)
      names.push_back(parts->before + member + parts->after);
    return names;
  }
  Place at = place.insideText(parts->open);
  Diagnostic &d = diagnostics.error(at, fmt::format("no feature group {}", ticked(parts->inside)));
  if (auto near = nearest(parts->inside, groupNames); !near.empty())
    d.note(fmt::format("did you mean `{{{}}}`?", near));
  else
    d.note(groupNames.empty() ? "no feature has a `group`" : "the groups are " + oneOf(groupNames));
  return std::nullopt;
}

bool isPattern(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '{') {
      if (i + 1 == text.size() || text[i + 1] != '{')
        return true;
      ++i;
    }
  return false;
}

std::string escapeBraces(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '{' || c == '}')
      out += c;
  }
  return out;
}

} // namespace sparsec::description
