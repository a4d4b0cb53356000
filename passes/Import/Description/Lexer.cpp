#include "passes/Import/Description/Lexer.h"
#include <fmt/format.h>

namespace sparsec::description {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Lexer {
public:
  Lexer(const std::shared_ptr<const SourceFile> &file, Diagnostics &diagnostics)
      : file(file), text(file->text), diagnostics(diagnostics) {}

  std::vector<Token> run() {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") // a byte-order mark is no column
      at = lineStart = 3;
    while (skipBlanks()) {
      start = at;
      char c = text[at];
      if (isLetter(c)) {
        while (isLetter(peek()) || isDigit(peek()))
          ++at;
        push(Token::Name);
      } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
        number();
      } else if (c == '"' || c == '\'') {
        literal(c);
      } else if (std::string_view("{}[]<>:,;-/.").find(c) != std::string_view::npos) {
        ++at;
        push(Token::Symbol);
      } else if (!strange()) {
        break;
      }
    }
    start = at = text.size();
    push(Token::End);
    for (const auto &[place, error, note] : strangers)
      if (Diagnostic &d = diagnostics.error(place, error); !note.empty())
        d.note(note);
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  int column(size_t offset) const { return static_cast<int>(offset - lineStart) + 1; }
  Place place(size_t offset) const { return {file, line, column(offset), nullptr}; }
  void push(Token::Kind kind) { tokens.push_back({kind, text.substr(start, at - start), line, column(start), false}); }

  bool skipBlanks() {
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (c == '#')
        while (at + 1 < text.size() && text[at + 1] != '\n')
          ++at;
      else if (c == '\n')
        ++line, lineStart = at + 1;
      else if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f')
        return true;
    }
    return false;
  }

  // Everything that touches a number belongs to it, so that `12abc` is one wrong number and not two tokens.
  void number() {
    bool hex = text[at] == '0' && (peek(1) == 'x' || peek(1) == 'X'), real = false;
    for (;; ++at) {
      char c = peek();
      if (!hex && (c == '.' || c == 'e' || c == 'E')) {
        real = true;
        if (c != '.' && (peek(1) == '+' || peek(1) == '-'))
          ++at;
      } else if (!isLetter(c) && !isDigit(c)) {
        break;
      }
    }
    char last = text[at - 1];
    push(real || (!hex && (last == 'f' || last == 'F')) ? Token::Float : Token::Integer);
  }

  void literal(char quote) {
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
      if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n')
        ++at;
    if (peek() == quote && at < text.size()) {
      ++at;
      return push(Token::Text);
    }
    // Which quote of the line is missing, nobody knows: what seems strange outside the others may well be text.
    std::erase_if(strangers, [&](const Stranger &stranger) { return stranger.place.line == line; });
    Diagnostic &d = diagnostics.error(place(start), fmt::format("this text has no closing `{}` in its line", quote));
    for (auto token = tokens.rbegin(); token != tokens.rend() && token->line == line; ++token)
      if (token->kind == Token::Text) {
        d.note("or a text before it in this line has none");
        break;
      }
    if (at > start + 1 && text[at - 1] == '\r')
      --at;
    push(Token::Text);
    tokens.back().unclosed = true;
  }

  // False where the file is no text at all.
  bool strange() {
    auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7f) {
      strangers.push_back({place(at), fmt::format("this is not text: byte 0x{:02x}", byte),
                           "the name of a binary description ends in `.binpb`"});
      return false;
    }
    if (byte < 0x80)
      strangers.push_back({place(at++), fmt::format("unexpected `{}`", static_cast<char>(byte)), ""});
    else {
      while (static_cast<unsigned char>(peek()) >= 0x80)
        ++at;
      std::string_view run = text.substr(start, at - start);
      strangers.push_back({place(start),
                           isUtf8(run) && run.size() < 40 ? fmt::format("unexpected `{}`", run)
                                                          : fmt::format("unexpected byte 0x{:02x}", byte),
                           "such text stands in quotes"});
    }
    return true;
  }

  // Bytes that belong to no token.
  struct Stranger {
    Place place;
    std::string error, note;
  };

  const std::shared_ptr<const SourceFile> &file;
  std::string_view text;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  std::vector<Stranger> strangers;
  size_t at = 0, start = 0, lineStart = 0;
  int line = 1;
};

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// One escape, `at` on the character after the backslash; leaves it after the escape.
std::string escape(std::string_view literal, size_t &at, std::string &out) {
  char c = literal[at++];
  constexpr std::string_view plain = "abfnrtv\\'\"?", meaning = "\a\b\f\n\r\t\v\\'\"?";
  if (size_t index = plain.find(c); index != std::string_view::npos) {
    out += meaning[index];
    return "";
  }
  auto digits = [&](unsigned most, uint32_t base) {
    uint32_t value = 0, count = 0;
    for (; count < most && at < literal.size(); ++at, ++count) {
      int digit = hexDigit(literal[at]);
      if (digit < 0 || digit >= static_cast<int>(base))
        break;
      value = value * base + digit;
    }
    return std::pair(value, count);
  };
  if (c >= '0' && c <= '7') {
    --at;
    uint32_t value = digits(3, 8).first;
    if (value > 255)
      return "an octal escape ends at \\377";
    out += static_cast<char>(value);
    return "";
  }
  if (c == 'x' || c == 'X') {
    auto [value, count] = digits(2, 16);
    if (!count)
      return "`\\x` needs one or two hex digits";
    out += static_cast<char>(value);
    return "";
  }
  if (c == 'u' || c == 'U') {
    unsigned length = c == 'u' ? 4 : 8;
    auto [value, count] = digits(length, 16);
    if (count != length)
      return fmt::format("`\\{}` needs {} hex digits", c, length);
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      return fmt::format("U+{:04X} is no character", value);
    appendUtf8(out, value);
    return "";
  }
  if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
    return "unknown escape";
  return fmt::format("unknown escape `\\{}`", c);
}

} // namespace

std::vector<Token> lex(const std::shared_ptr<const SourceFile> &file, Diagnostics &diagnostics) {
  return Lexer(file, diagnostics).run();
}

EscapeError unquote(std::string_view literal, std::string &out, std::vector<size_t> *starts) {
  size_t end = literal.size();
  if (end > 1 && literal[end - 1] == literal[0])
    --end;
  literal = literal.substr(0, end);
  for (size_t at = 1; at < end;) {
    size_t begin = at, before = out.size();
    if (literal[at] != '\\' || at + 1 >= end)
      out += literal[at++];
    else if (std::string error = escape(literal, ++at, out); !error.empty())
      return {begin, error};
    if (starts)
      starts->insert(starts->end(), out.size() - before, begin);
  }
  return {};
}

bool isUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    auto lead = static_cast<unsigned char>(text[at]);
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xC2 && lead < 0xE0 ? 2
                    : lead >= 0xE0 && lead < 0xF0 ? 3
                    : lead >= 0xF0 && lead < 0xF5 ? 4
                                                  : 0;
    if (!length || at + length > text.size())
      return false;
    uint32_t code = length == 1 ? lead : lead & (0x7F >> length);
    for (size_t i = 1; i < length; ++i) {
      auto byte = static_cast<unsigned char>(text[at + i]);
      if ((byte & 0xC0) != 0x80)
        return false;
      code = code << 6 | (byte & 0x3F);
    }
    if ((length == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) ||
        (length == 4 && (code < 0x10000 || code > 0x10FFFF)))
      return false;
    at += length;
  }
  return true;
}

} // namespace sparsec::description
