// Where rows begin. Found by scanning for line ends, as far as anyone asked, and never all kept: only a mark every few
// thousand rows.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::data {

/// The part of a file that holds rows.
struct RowSource {
  std::string path;
  std::string_view text; // from the line after the header on
  int64_t firstLine = 1; // number of its first line
  int64_t comments = 0;  // before it
};

struct RowLocation {
  const RowSource *source = nullptr;
  int64_t line = 0;
  std::string_view text;
};

/// Row i of the files in order, blank lines and comments not counted.
class RowIndex {
public:
  /// `comment`: rows do not start with it; empty: none. `blanks`: a line of these characters alone is blank.
  RowIndex(std::vector<RowSource> sources, std::string comment, std::string blanks);

  /// The texts of rows [first, first + n), without line ends; fewer where the files end.
  void rows(int64_t first, int64_t n, std::vector<std::string_view> &texts);
  bool has(int64_t row);
  int64_t total();
  RowLocation locate(int64_t row);
  int64_t commentLines() const { return comments; } // as far as scanned

private:
  struct Cursor { // stands at the start of row `row`, or behind the last one
    int64_t row = 0;
    size_t source = 0, offset = 0;
    int64_t line = 1;
  };
  void skipToRow(Cursor &);
  std::string_view next(Cursor &);
  std::string_view lineAt(const Cursor &, size_t &nextOffset) const;
  bool isRow(std::string_view line, bool &comment) const;
  Cursor before(int64_t row) const;
  void advance(int64_t row);
  bool atEnd(const Cursor &c) const { return c.source == sources.size(); }
  void goTo(size_t source, Cursor &) const;

  std::vector<RowSource> sources;
  std::string comment, blanks;
  std::vector<Cursor> marks;
  Cursor cursor;         // where the last request ended
  int64_t frontier = -1; // the last row whose start is known, or the total if `complete`
  bool complete = false;
  int64_t comments = 0; // between the rows up to the frontier
};

} // namespace sparsec::data
