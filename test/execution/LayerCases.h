// A small model around every kind of layer, for what is asked of each.
#pragma once
#include "reference/Reference.h"
#include <string>
#include <vector>

namespace sparsec::reference {

/// The inputs and the kind of a layer, as the description has them.
extern const std::vector<const char *> layerCases;

/// The samples of one batch.
extern const std::string layerRows;

/// A model that pools ids, weighted ids and ids that count as zero, has this layer on them, and a loss of two labels'
/// first; SGD with a rate of 0.5. `dim`: columns of the wider table.
std::string layerModel(const std::string &layer, const std::string &pooling, int64_t dim = 3);

/// A model with losses of both kinds and of different weights.
std::string twoTasksModel();

/// (loss(w + h) - loss(w - h)) / 2h for element `i` of the parameter `name`.
double centralDifference(Reference &reference, std::span<const Row> batch, const std::string &name, size_t i);

} // namespace sparsec::reference
