// Rows to a batch.
#pragma once
#include "Fields.h"
#include "Layout.h"
#include "RowSplitter.h"
#include <memory>

namespace sparsec::data {

/// What was wrong with a row.
struct RowFault {
  size_t byte = 0; // of the line
  std::string text;
};

/// The fields of a row and what becomes of each. Not changed by parsing: threads share it.
class RowParser {
public:
  static Result<std::unique_ptr<RowParser>> make(const Program &, const Layout &);

  /// Gives a batch all its shapes, for `samples` rows of mine, with none in it yet. Leaves its status.
  void clear(Batch &, int64_t samples) const;
  /// Adds one row. False: `fault` is set.
  bool parse(std::string_view line, RowState &, RowSplitter &, std::vector<std::string_view> &fields,
             RowFault &fault) const;
  void finish(Batch &) const;

private:
  struct Column {
    int64_t column;
    size_t order; // as declared, where a column is used twice
    std::unique_ptr<Field> field;
  };
  struct Pair {
    int64_t feature, as;
  };
  Status pairUp(const Program &);
  bool lengthsAgree(const Pair &, RowState &) const;

  int64_t columns = 0;
  bool labels = false;
  std::vector<Column> used; // left to right
  std::vector<Pair> pairs;  // same_length_as
  std::vector<int64_t> featureColumn;
  std::vector<std::string> names;    // of features
  std::vector<char> weighted, isBag; // features
  std::vector<int64_t> inputWidths;
  int64_t labelCount = 0;
};

} // namespace sparsec::data
