// One line to its fields.
#pragma once
#include "sparsec/Program.h"
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::data {

class RowSplitter {
public:
  explicit RowSplitter(const DataFormat &);

  /// Fields without quotes, and without blanks if `trim`. They point into the line, or into this object until the next
  /// call. Null if fine, else what is wrong, at byte `fault` of the line.
  const char *split(std::string_view line, std::vector<std::string_view> &fields, size_t &fault);
  /// Where field i of a line starts, blanks and quote included; the line's end if it has fewer.
  size_t startOf(std::string_view line, size_t field);

private:
  void splitPlain(std::string_view line, std::vector<std::string_view> &fields) const;
  const char *splitQuoted(std::string_view line, std::vector<std::string_view> &fields, size_t &fault);
  std::string_view trimmed(std::string_view text) const;
  bool isBlank(char c) const { return (c == ' ' || c == '\t') && c != delimiter; }

  char delimiter, quote;
  bool trim, quotes;
  std::string unquoted;       // texts of fields in which quotes were doubled
  std::vector<size_t> starts; // of the fields of the last quoted line
};

} // namespace sparsec::data
