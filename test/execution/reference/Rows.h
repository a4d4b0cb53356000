// Samples, read from delimited text by a parser of our own: identity features, plain numbers, numeric labels.
#pragma once
#include "passes/Import/Description/Model.h"
#include "reference/Tape.h"

namespace sparsec::reference {

struct Row {
  std::vector<Bag> bags;                    // by feature; empty for numbers
  std::vector<std::vector<double>> numbers; // by feature; empty for ids
  std::vector<double> labels;               // by label
};

/// Fields hold exactly what the description says; there are no missing texts but the empty bag.
std::vector<Row> readRows(const description::Loaded &model, const std::string &text);

} // namespace sparsec::reference
