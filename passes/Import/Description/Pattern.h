// "C{1..26}" and "emb/{category}": from one text to a list of names.
#pragma once
#include "passes/Import/Description/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::description {

/// The features of a group in order of declaration; null where there is no such group.
using GroupLookup = std::function<const std::vector<std::string> *(std::string_view group)>;

/// A description makes at most so many names of all its patterns together.
inline constexpr size_t mostNames = 1 << 20;

/// Expands one text. `groupNames` feed the note of an unknown group. nullopt after an error.
std::optional<std::vector<std::string>> expandPattern(const std::string &text, const Place &place,
                                                      const GroupLookup &groups,
                                                      const std::vector<std::string_view> &groupNames,
                                                      Diagnostics &diagnostics);

/// Whether a text has braces that are not doubled.
bool isPattern(std::string_view text);

/// Doubles braces, so that expanding the result gives `text` back.
std::string escapeBraces(std::string_view text);

} // namespace sparsec::description
