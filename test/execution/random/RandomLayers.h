#pragma once
#include "random/Factors.h"

namespace sparsec::execution {

/// Columns of one name: a tensor [batch, width].
struct Column {
  std::string name;
  int64_t width;
};

/// Layer blocks over `tensors`, all of them read, that end in logit0 ... one for each task.
std::string randomLayers(Dice &dice, std::vector<Column> tensors, int tasks);

} // namespace sparsec::execution
