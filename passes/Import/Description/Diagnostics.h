// Errors with their places: collected, merged, sorted, and written the one way every description error looks.
#pragma once
#include "passes/Import/Description/Place.h"
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace sparsec::description {

enum class Severity { Error, Warning };

struct Note {
  Place place;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  Place place;
  std::string text;
  std::vector<Note> notes;
  std::string rule;     // diagnostics of one rule at one place are one diagnostic
  bool counted = false; // say how many were merged
  int more = 0;         // how many were

  /// Whether this stands for one that was merged into an earlier one: whatever is added to it is dropped.
  bool isMerged() const { return text.empty(); }
  /// Adds a note, at the diagnostic's own place or another.
  Diagnostic &note(std::string text);
  Diagnostic &note(const Place &place, std::string text);
};

/// What the checks found. A block with 26 names that breaks a rule 26 times is one error: diagnostics with the same
/// place and rule are merged; those made with `perPattern` say `(and 25 more from this pattern)`.
class Diagnostics {
public:
  Diagnostic &error(const Place &place, std::string text, std::string rule = "");
  Diagnostic &perPattern(const Place &place, std::string rule, std::string text);
  Diagnostic &warning(const Place &place, std::string text);

  bool hasErrors() const { return errors != 0; }
  size_t errorCount() const { return errors; }
  /// All, by file in command-line order, then line and column; equal places keep their order.
  std::vector<const Diagnostic *> sorted() const;
  /// Lines `file:line:column: error: text`, each followed by its `note:` lines. Past `limit` diagnostics: a count.
  std::string str(size_t limit = 100) const;

private:
  Diagnostic &add(Severity severity, const Place &place, std::string text, std::string rule, bool counted);
  std::deque<Diagnostic> all;
  std::map<std::string, Diagnostic *> byRule;
  Diagnostic merged; // takes the notes of what was merged away
  size_t errors = 0;
};

} // namespace sparsec::description
