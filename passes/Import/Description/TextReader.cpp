#include "passes/Import/Description/Lexer.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Words.h"
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/strtod.h>
#include <limits>

namespace sparsec::description {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// protobuf's own text parser stops at the first error, often at the token after it, and has no place for a value.
/// This one reads the same format along the schema, says what it found wrong and goes on.
class TextReader {
public:
  TextReader(const std::shared_ptr<const SourceFile> &file, Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics), tokens(lex(file, diagnostics)) {
    for (const Token &token : tokens)
      if (token.unclosed) {
        lost = token.line;
        break;
      }
  }

  void run(Message &message, Node &places) {
    places.place = {file, 1, 1, nullptr};
    blocks.push_back({"", places.place, message.GetDescriptor()});
    body(message, places, "");
    places.end = here();
  }

private:
  struct Block {
    std::string_view name;
    Place place;
    const Descriptor *type;
  };

  const Token &token() const { return tokens[at]; }
  bool atEnd() const { return token().kind == Token::End; }
  Place placeOf(const Token &t) const { return {file, t.line, t.column, nullptr}; }
  Place here() const { return placeOf(token()); }
  std::string found() const { return atEnd() ? "the file ends here" : "got " + ticked(token().text); }
  bool eat(std::string_view symbol) {
    bool is = token().kind == Token::Symbol && token().text == symbol;
    at += is;
    return is;
  }
  Diagnostic &error(const Place &place, std::string text) {
    if (place.line >= lost)
      return ignored = {};
    return diagnostics.error(place, std::move(text));
  }

  // Fields up to the closing bracket, or to the end of the file.
  void body(Message &message, Node &places, std::string_view close) {
    while (!stopped) {
      if (!close.empty() && eat(close))
        return;
      if (atEnd()) {
        if (!close.empty()) {
          error(here(), fmt::format("expected `{}`, but the file ends here", close))
              .note(blocks.back().place, fmt::format("`{}` is not closed", blocks.back().name));
          stopped = true;
        }
        return;
      }
      if (token().kind != Token::Name) {
        if (token().is("}") || token().is(">")) {
          error(here(), close.empty() ? fmt::format("`{}` closes no block", token().text)
                                      : fmt::format("expected `{}`, but {}", close, found()));
          stopped = !close.empty();
        } else
          error(here(), "expected the name of a field, but " + found());
        if (token().is("{") || token().is("[") || token().is("<"))
          skipValue();
        else
          skipJunk();
        continue;
      }
      field(message, places);
      if (!eat(","))
        eat(";");
    }
  }

  // After something that is no field: on to what could be one.
  void skipJunk() {
    do
      ++at;
    while (!atEnd() && token().kind != Token::Name && !token().is("}") && !token().is(">"));
  }

  void field(Message &message, Node &places) {
    const Token name = token();
    ++at;
    const FieldDescriptor *field = message.GetDescriptor()->FindFieldByName(std::string(name.text));
    if (!field)
      return unknownField(name);
    bool colon = eat(":");
    bool block = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!colon && !block)
      error(here(), fmt::format("expected `:` after `{}`, but {}", name.text, found()));
    excludes(message, *field, placeOf(name), places);
    if (!field->is_repeated() && places.has(field->name()))
      error(placeOf(name), fmt::format("`{}` is given twice", field->name()))
          .note(places.name(field->name()), "the first is here");
    if (!eat("[")) {
      value(message, *field, placeOf(name), places);
      return;
    }
    if (!field->is_repeated())
      error(placeOf(tokens[at - 1]), fmt::format("`{}` takes one value, but got a list", field->name()));
    if (eat("]"))
      return;
    do {
      value(message, *field, placeOf(name), places);
      if (stopped)
        return;
    } while (eat(","));
    if (!eat("]")) {
      error(here(), fmt::format("expected `,` or `]` in the list of `{}`, but {}", field->name(), found()));
      while (!atEnd() && !token().is("]") && !token().is("}") && !token().is("{"))
        ++at;
      eat("]");
    }
  }

  void unknownField(const Token &name) {
    bool wasTopLevel = blocks.size() > 1 && blocks[0].type->FindFieldByName(std::string(name.text));
    if (wasTopLevel && (token().is("{") || token().is(":"))) {
      error(placeOf(name), fmt::format("`{}` inside `{}`", name.text, blocks.back().name))
          .note(blocks.back().place, "this block is not closed");
      stopped = true;
      return;
    }
    std::vector<std::string_view> known;
    for (int i = 0; i < blocks.back().type->field_count(); ++i)
      known.push_back(blocks.back().type->field(i)->name());
    Diagnostic &d = error(placeOf(name), blocks.size() > 1 ? fmt::format("unknown field {} in `{}`", ticked(name.text),
                                                                         blocks.back().name)
                                                           : fmt::format("unknown field {}", ticked(name.text)));
    std::string_view outer;
    for (size_t i = 1; i + 1 < blocks.size(); ++i)
      if (blocks[i].type->FindFieldByName(std::string(name.text)))
        outer = blocks[i].name;
    if (!outer.empty())
      d.note(fmt::format("`{}` is a field of `{}`", name.text, outer));
    else if (auto near = nearest(name.text, known); !near.empty())
      d.note(fmt::format("did you mean `{}`?", near));
    else if (known.empty())
      d.note(fmt::format("`{}` has no fields", blocks.back().name));
    else
      d.note("expected " + oneOf(known));
    eat(":");
    skipValue();
  }

  // One value of any form, brackets balanced.
  void skipValue() {
    size_t depth = 0;
    do {
      if (atEnd())
        return;
      if (token().is("{") || token().is("[") || token().is("<"))
        ++depth;
      else if (token().is("}") || token().is("]") || token().is(">")) {
        if (!depth)
          return;
        --depth;
      } else if (!depth) {
        eat("-");
        bool text = token().kind == Token::Text;
        at += !atEnd() && !token().is("}");
        while (text && token().kind == Token::Text)
          ++at;
        return;
      }
      ++at;
    } while (depth);
  }

  void excludes(const Message &message, const FieldDescriptor &field, const Place &name, const Node &places) {
    const auto *oneof = field.real_containing_oneof();
    if (!oneof)
      return;
    for (int i = 0; i < oneof->field_count(); ++i) {
      const FieldDescriptor &other = *oneof->field(i);
      if (&other == &field || !places.has(other.name()))
        continue;
      error(name, fmt::format("`{}` and `{}` exclude each other", field.name(), other.name()))
          .note(blocks.size() == 2
                    ? fmt::format("a block has one `{}`; write a second block for the other", oneof->name())
                    : fmt::format("a block has one `{}`", oneof->name()));
      return;
    }
  }

  void value(Message &message, const FieldDescriptor &field, const Place &name, Node &places) {
    Node::Element element{name, here(), nullptr};
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      scalar(message, field);
      places.add(field.name()).push_back(std::move(element));
      return;
    }
    std::string_view close = token().is("{") ? "}" : token().is("<") ? ">" : "";
    if (close.empty()) {
      error(here(), fmt::format("expected `{{` after `{}`, but {}", field.name(), found()));
      return skipValue();
    }
    ++at;
    element.child = std::make_shared<Node>();
    element.child->place = element.value;
    const auto *reflection = message.GetReflection();
    Message *child =
        field.is_repeated() ? reflection->AddMessage(&message, &field) : reflection->MutableMessage(&message, &field);
    blocks.push_back({field.name(), name, child->GetDescriptor()});
    body(*child, *element.child, close);
    blocks.pop_back();
    element.child->end = placeOf(tokens[at ? at - 1 : 0]);
    places.add(field.name()).push_back(std::move(element));
  }

  // Sets a scalar; after an error, a zero, so that elements and places stay in step.
  void scalar(Message &message, const FieldDescriptor &field) {
    const auto *r = message.GetReflection();
    auto put = [&](auto add, auto set, auto value) {
      field.is_repeated() ? (r->*add)(&message, &field, value) : (r->*set)(&message, &field, value);
    };
    using R = google::protobuf::Reflection;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return put(&R::AddString, &R::SetString, text());
    case FieldDescriptor::CPPTYPE_INT32:
      return put(&R::AddInt32, &R::SetInt32, static_cast<int32_t>(integer<int32_t>()));
    case FieldDescriptor::CPPTYPE_INT64:
      return put(&R::AddInt64, &R::SetInt64, integer<int64_t>());
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(&R::AddUInt64, &R::SetUInt64, integer<uint64_t>());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put(&R::AddDouble, &R::SetDouble, real());
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(&R::AddBool, &R::SetBool, boolean());
    case FieldDescriptor::CPPTYPE_ENUM:
      return put(&R::AddEnum, &R::SetEnum, enumerator(field));
    default: // the schemas use no other type
      return skipValue();
    }
  }

  void wrong(const Place &place, std::string_view what) {
    error(place, fmt::format("expected {}, but {}", what, found()));
    skipValue();
  }

  std::string text() {
    std::string out;
    Place start = here();
    if (token().kind != Token::Text) {
      wrong(start, "a text in quotes");
      return out;
    }
    for (; token().kind == Token::Text; ++at)
      if (EscapeError bad = unquote(token().text, out); !bad.text.empty()) {
        Place place = here();
        place.column += static_cast<int>(bad.offset);
        error(place, bad.text);
      }
    if (!isUtf8(out))
      error(start, "this text is not UTF-8");
    return out;
  }

  template <class T> T integer() {
    Place start = here();
    size_t first = at;
    bool negative = eat("-");
    if (token().kind == Token::Integer) {
      std::string_view digits = token().text;
      int base = 10;
      if (digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X'))
        base = 16, digits.remove_prefix(2);
      else if (digits.size() > 1 && digits[0] == '0')
        base = 8, digits.remove_prefix(1);
      uint64_t size = 0;
      auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
      if (end == digits.data() + digits.size()) {
        constexpr uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max());
        ++at;
        bool fits = code == std::errc() && (std::is_signed_v<T> ? size <= most + negative : !negative || !size);
        if (fits)
          return negative ? static_cast<T>(0 - size) : static_cast<T>(size);
        error(start, fmt::format("expected an integer in [{}, {}], but got {}", std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max(), written(first)));
        return 0;
      }
    }
    bool whole = token().kind == Token::Float;
    double number = whole ? google::protobuf::io::NoLocaleStrtod(std::string(token().text).c_str(), nullptr) : 0;
    at += !atEnd() && (negative || whole);
    if (!negative && !whole) {
      wrong(start, "an integer");
      return 0;
    }
    Diagnostic &d = error(start, fmt::format("expected an integer, but got {}", written(first)));
    if (whole && number == std::floor(number) && number < 1e18)
      d.note(fmt::format("write {}{}", negative ? "-" : "", static_cast<int64_t>(number)));
    return 0;
  }

  // Tokens from `first` up to here, as they were written.
  std::string written(size_t first) const {
    std::string out;
    for (size_t i = first; i < at; ++i)
      out += tokens[i].text;
    return ticked(out);
  }

  double real() {
    Place start = here();
    size_t first = at;
    bool negative = eat("-");
    double number = 0;
    std::string lower;
    for (char c : token().text.substr(0, 400))
      lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (token().kind == Token::Name && (lower == "inf" || lower == "infinity" || lower == "nan")) {
      number = lower == "nan" ? std::nan("") : std::numeric_limits<double>::infinity();
    } else if (token().kind == Token::Integer || token().kind == Token::Float) {
      char *end = nullptr;
      bool octal = lower.size() > 1 && lower[0] == '0' && token().kind == Token::Integer;
      number = google::protobuf::io::NoLocaleStrtod(lower.c_str(), &end);
      if (octal || !(*end == '\0' || (*end == 'f' && end[1] == '\0'))) {
        at = first;
        wrong(start, "a number");
        return 0;
      }
    } else {
      if (first != at)
        --at;
      wrong(start, "a number");
      return 0;
    }
    ++at;
    return negative ? -number : number;
  }

  bool boolean() {
    std::string_view t = token().text;
    bool yes = t == "true" || t == "True" || t == "t" || t == "1";
    if (token().kind != Token::Text && (yes || t == "false" || t == "False" || t == "f" || t == "0")) {
      ++at;
      return yes;
    }
    wrong(here(), "true or false");
    return false;
  }

  const google::protobuf::EnumValueDescriptor *enumerator(const FieldDescriptor &field) {
    const auto &type = *field.enum_type();
    if (token().kind == Token::Name || token().kind == Token::Integer) {
      const auto *value = type.FindValueByName(std::string(token().text));
      int number = 0;
      std::string_view t = token().text;
      if (auto [end, code] = std::from_chars(t.data(), t.data() + t.size(), number);
          !value && code == std::errc() && end == t.data() + t.size())
        value = type.FindValueByNumber(number);
      if (!value)
        error(here(), fmt::format("unknown value {} for `{}`", ticked(t), field.name()))
            .note("expected " + valuesOf(type));
      ++at;
      return value ? value : type.value(0);
    }
    wrong(here(), valuesOf(type));
    return type.value(0);
  }

  const std::shared_ptr<const SourceFile> &file;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  std::vector<Block> blocks;
  size_t at = 0;
  int lost = std::numeric_limits<int>::max(); // the line of a text that is not closed: from there on all is noise
  Diagnostic ignored;                         // takes the notes of that noise
  bool stopped = false; // the structure is lost: more errors would be noise
};

} // namespace

void readText(const std::shared_ptr<const SourceFile> &file, Message &message, Node &places, Diagnostics &diagnostics) {
  TextReader(file, diagnostics).run(message, places);
}

std::string valuesOf(const google::protobuf::EnumDescriptor &type) {
  std::vector<std::string_view> names;
  for (int i = 0; i < type.value_count(); ++i)
    names.push_back(type.value(i)->name());
  return oneOf(names);
}

} // namespace sparsec::description
