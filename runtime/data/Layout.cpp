#include "Layout.h"
#include "RowSplitter.h"
#include "TextForMessage.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::data {
namespace {

using Names = std::vector<std::string>;

Status at(const RowLocation &place, size_t byte, const std::string &text) {
  return Status::error(
      fmt::format("{}:{}:{}: {}", place.source->path, place.line, characters(place.text.substr(0, byte)) + 1, text));
}

class LayoutMaker {
public:
  LayoutMaker(const Program &p, bool labels) : p(p), labels(labels), splitter(p.data) {}

  Result<Layout> make(const std::vector<InputFile> &files, std::vector<RowSource> &sources) {
    if (!p.data.header && p.data.column.empty())
      return Status::error("data: without a header, `column` must name the columns");
    Names names = p.data.column;
    for (const InputFile &file : files) {
      RowSource source{file.path(), file.bytes(), 1};
      if (p.data.header)
        if (Status s = takeHeader(source, names); !s)
          return s;
      RowLocation first = RowIndex({source}, p.data.comment, blanksOf(p.data)).locate(0);
      if (!first.source)
        return Status::error(fmt::format("{}: {}", file.path(),
                                         file.bytes().empty() ? "the file is empty"
                                         : p.data.header      ? "no rows follow the header"
                                                              : "the file has no rows"));
      if (sources.empty() && !p.data.header && !labels)
        dropLabels(first, names);
      sources.push_back(std::move(source));
    }
    return resolve(names, sources.front().path);
  }

private:
  Status takeHeader(RowSource &source, Names &names) {
    RowIndex index({source}, p.data.comment, blanksOf(p.data));
    int64_t comments = index.commentLines(); // so far: before the header
    RowLocation line = index.locate(0);
    if (!line.source)
      return Status::error(
          fmt::format("{}: {}", source.path, source.text.empty() ? "the file is empty" : "the file has no header"));
    line.source = &source;
    std::vector<std::string_view> fields;
    size_t fault = 0;
    if (const char *why = splitter.split(line.text, fields, fault))
      return at(line, fault, why);
    bool given = !names.empty();
    for (size_t i = 0; given && i < std::max(fields.size(), names.size()); ++i) {
      if (i < fields.size() && i < names.size() && (fields[i] == names[i] || (headerOf.empty() && names[i] == "_")))
        continue;
      return at(line, splitter.startOf(line.text, i),
                fmt::format("the header differs from {}: column {} should be {}, but {}",
                            headerOf.empty() ? "`data.column`" : headerOf, i + 1,
                            i < names.size() ? quoted(names[i]) : "absent",
                            i < fields.size() ? "is " + quoted(fields[i]) : "is absent"));
    }
    names.assign(fields.begin(), fields.end());
    headerOf = source.path;
    size_t end = line.text.data() + line.text.size() - source.text.data();
    size_t next = source.text.find('\n', end);
    source.text.remove_prefix(next == std::string_view::npos ? source.text.size() : next + 1);
    source.firstLine = line.line + 1;
    source.comments = comments;
    return Status();
  }

  /// Rows as long as the columns without the labels: then those are not in the files.
  void dropLabels(const RowLocation &first, Names &names) {
    std::vector<std::string_view> fields;
    size_t fault = 0;
    if (splitter.split(first.text, fields, fault))
      return;
    Names rest;
    for (const std::string &name : names)
      if (std::none_of(p.labels.begin(), p.labels.end(), [&](const LabelColumn &l) { return columnOf(l) == name; }) ||
          std::any_of(p.features.begin(), p.features.end(),
                      [&](const FeatureColumn &f) { return columnOf(f) == name; }))
        rest.push_back(name);
    if (fields.size() == rest.size())
      names = rest;
  }

  template <typename T> static const std::string &columnOf(const T &x) { return x.column.empty() ? x.name : x.column; }

  Result<Layout> resolve(const Names &names, const std::string &path) {
    Layout layout;
    layout.columns = names.size();
    Status status;
    auto find = [&](const char *what, const std::string &name, const std::string &column) {
      auto found = std::find(names.begin(), names.end(), column);
      std::string where = p.data.header ? "the header of " + path : "`data.column`";
      if (found == names.end())
        status = Status::error(fmt::format("{} `{}`: no column {} in {}", what, name, quoted(column), where));
      else if (std::find(found + 1, names.end(), column) != names.end())
        status = Status::error(fmt::format("{} `{}`: column {} is twice in {}", what, name, quoted(column), where));
      return found - names.begin();
    };
    for (size_t i = 0; labels && i < p.labels.size() && status; ++i)
      layout.labelColumn.push_back(find("label", p.labels[i].name, columnOf(p.labels[i])));
    for (size_t i = 0; i < p.features.size() && status; ++i)
      layout.featureColumn.push_back(find("feature", p.features[i].name, columnOf(p.features[i])));
    if (!status)
      return status;
    return layout;
  }

  const Program &p;
  bool labels;
  RowSplitter splitter;
  std::string headerOf; // the first file with a header
};

} // namespace

std::string blanksOf(const DataFormat &format) {
  std::string blanks;
  for (char c : {' ', '\t'})
    if (format.trim && format.delimiter[0] != c)
      blanks += c;
  return blanks;
}

Result<Layout> makeLayout(const Program &p, bool labels, const std::vector<InputFile> &files,
                          std::vector<RowSource> &sources) {
  return LayoutMaker(p, labels).make(files, sources);
}

} // namespace sparsec::data
