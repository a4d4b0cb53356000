#include "passes/Import/Description/Place.h"
#include "passes/Import/Description/Lexer.h"
#include <fmt/format.h>

namespace sparsec::description {

std::string Place::str() const {
  if (path)
    return path->empty() ? std::string(fileName()) : fmt::format("{}: {}", fileName(), *path);
  return line ? fmt::format("{}:{}:{}", fileName(), line, column) : std::string(fileName());
}

bool Place::operator==(const Place &other) const {
  return file == other.file && line == other.line && column == other.column &&
         (path == other.path || (path && other.path && *path == *other.path));
}

Place Place::insideText(size_t index) const {
  if (!file || !line)
    return *this;
  // Only errors come here, so the rest of the file is simply cut again from the literal on.
  size_t offset = 0;
  for (int i = 1; i < line; ++i)
    offset = file->text.find('\n', offset) + 1;
  offset += column - 1;
  if (line == 1 && file->text.starts_with("\xEF\xBB\xBF"))
    offset += 3;
  auto rest = std::make_shared<SourceFile>();
  rest->text = file->text.substr(offset, 1 << 16);
  Diagnostics ignored;
  for (const Token &token : lex(rest, ignored)) {
    if (token.kind != Token::Text)
      break;
    std::string decoded;
    std::vector<size_t> starts;
    unquote(token.text, decoded, &starts);
    if (index < starts.size()) {
      int tokenColumn = token.line == 1 ? column + token.column - 1 : token.column;
      return {file, line + token.line - 1, tokenColumn + static_cast<int>(starts[index]), nullptr};
    }
    index -= starts.size();
  }
  return *this;
}

const std::vector<Node::Element> &Node::elements(std::string_view field) const {
  static const std::vector<Element> none;
  for (const Field &entry : fields)
    if (entry.name == field)
      return entry.elements;
  return none;
}

std::vector<Node::Element> &Node::add(std::string_view field) {
  for (Field &entry : fields)
    if (entry.name == field)
      return entry.elements;
  return fields.emplace_back(Field{std::string(field), {}}).elements;
}

void Node::erase(std::string_view field) {
  std::erase_if(fields, [&](const Field &entry) { return entry.name == field; });
}

Place Node::value(std::string_view field, size_t index) const {
  const auto &list = elements(field);
  return list.empty() ? place : list[std::min(index, list.size() - 1)].value;
}

Place Node::name(std::string_view field, size_t index) const {
  const auto &list = elements(field);
  return list.empty() ? place : list[std::min(index, list.size() - 1)].name;
}

const Node &Node::child(std::string_view field, size_t index) const {
  const auto &list = elements(field);
  if (index < list.size() && list[index].child)
    return *list[index].child;
  if (!missing) {
    missing = std::make_shared<Node>();
    missing->place = missing->end = place;
  }
  return *missing;
}

} // namespace sparsec::description
