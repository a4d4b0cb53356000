#include "passes/Import/Description/Diagnostics.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace sparsec::description {

Diagnostic &Diagnostic::note(std::string text) { return note(place, std::move(text)); }

Diagnostic &Diagnostic::note(const Place &place, std::string text) {
  notes.push_back({place, std::move(text)});
  return *this;
}

Diagnostic &Diagnostics::add(Severity severity, const Place &place, std::string text, std::string rule, bool counted) {
  if (rule.empty())
    rule = text;
  auto [entry, isNew] = byRule.try_emplace(place.str() + '\0' + rule, nullptr);
  if (!isNew) {
    // The same text again (one value for many names) adds nothing; another one is counted.
    entry->second->more += entry->second->text != text;
    merged = {};
    return merged;
  }
  errors += severity == Severity::Error;
  entry->second = &all.emplace_back(Diagnostic{severity, place, std::move(text), {}, std::move(rule), counted, 0});
  return *entry->second;
}

Diagnostic &Diagnostics::error(const Place &place, std::string text, std::string rule) {
  return add(Severity::Error, place, std::move(text), std::move(rule), false);
}

Diagnostic &Diagnostics::perPattern(const Place &place, std::string rule, std::string text) {
  return add(Severity::Error, place, std::move(text), std::move(rule), true);
}

Diagnostic &Diagnostics::warning(const Place &place, std::string text) {
  return add(Severity::Warning, place, std::move(text), "", false);
}

std::vector<const Diagnostic *> Diagnostics::sorted() const {
  std::vector<const Diagnostic *> list;
  for (const Diagnostic &diagnostic : all)
    list.push_back(&diagnostic);
  std::stable_sort(list.begin(), list.end(), [](const Diagnostic *a, const Diagnostic *b) {
    auto key = [](const Place &place) {
      return std::tuple(place.file ? place.file->order : -1, place.line, place.column);
    };
    return key(a->place) < key(b->place);
  });
  return list;
}

std::string Diagnostics::str(size_t limit) const {
  std::string out;
  auto list = sorted();
  for (size_t i = 0; i < list.size(); ++i) {
    if (i == limit) {
      out += fmt::format("... and {} more\n", list.size() - i);
      break;
    }
    const Diagnostic &d = *list[i];
    out += fmt::format("{}: {}: {}", d.place.str(), d.severity == Severity::Error ? "error" : "warning", d.text);
    if (d.counted && d.more)
      out += fmt::format(" (and {} more from this pattern)", d.more);
    out += '\n';
    for (const Note &note : d.notes)
      out += fmt::format("{}: note: {}\n", note.place.str(), note.text);
  }
  return out;
}

} // namespace sparsec::description
