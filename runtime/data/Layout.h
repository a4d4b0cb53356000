// Which column of the files is what.
#pragma once
#include "InputFile.h"
#include "RowIndex.h"
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include <vector>

namespace sparsec::data {

struct Layout {
  int64_t columns = 0;                // every row has so many
  std::vector<int64_t> labelColumn;   // for each label; empty if they are not read
  std::vector<int64_t> featureColumn; // for each feature
};

/// Reads headers, finds the columns, and gives the part of each file that holds rows. Files must agree.
/// Without `labels`, label columns may be absent: from a header, or, where `data.column` names the columns, from all
/// rows.
Result<Layout> makeLayout(const Program &, bool labels, const std::vector<InputFile> &, std::vector<RowSource> &);

/// Characters that make a blank line.
std::string blanksOf(const DataFormat &);

} // namespace sparsec::data
