// Protobuf text format, cut into tokens with exact places.
#pragma once
#include "passes/Import/Description/Diagnostics.h"
#include "passes/Import/Description/Place.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::description {

struct Token {
  enum Kind { Name, Integer, Float, Text, Symbol, End } kind = End;
  std::string_view text; // as written, quotes included; a view of the file
  int line = 0, column = 0;
  bool unclosed = false; // a text without its last quote
  bool is(std::string_view symbol) const { return (kind == Symbol || kind == Name) && text == symbol; }
};

/// The tokens of a file, the last one End. Bytes that belong to no token are errors; the rest is still cut.
std::vector<Token> lex(const std::shared_ptr<const SourceFile> &file, Diagnostics &diagnostics);

/// Decodes one quoted literal onto `out`. On a bad escape: its offset in the literal and what is wrong with it.
/// `starts`, where given, gets the offset in the literal of every byte put out.
struct EscapeError {
  size_t offset = 0;
  std::string text; // empty: none
};
EscapeError unquote(std::string_view literal, std::string &out, std::vector<size_t> *starts = nullptr);

/// Whether `text` is UTF-8: no overlong forms, surrogates or values past U+10FFFF.
bool isUtf8(std::string_view text);

} // namespace sparsec::description
