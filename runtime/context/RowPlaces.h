// Where rows lie in the flat buffers of an exchange: at owners, what they serve; at askers, what comes back.
#pragma once
#include "Owners.h"

namespace sparsec {

/// Start of the rows of each (source, my item), [ranks * mine]. Buffers are [source][my item][bag][column], in two
/// steps [shard of the source][node of the source][my item][bag][column].
const int64_t *servedPlaces(Context &, const Owners &, const SparsecJagged &received);

/// Start of the rows of each pair, [pairs]. Buffers are [owner][item of the owner][bag][column]; in two steps only the
/// first rank of each node has rows there, for its node.
const int64_t *returnedPlaces(Context &, const Owners &, const SparsecJagged &routed);

} // namespace sparsec
