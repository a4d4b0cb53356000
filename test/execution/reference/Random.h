// The documented random numbers once more, by code of our own: initial values and dropout.
#pragma once
#include "reference/Tape.h"
#include <array>
#include <string>

namespace sparsec {
class Init;
}

namespace sparsec::reference {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011).
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A parameter's first values; `in` and `out` scale them where the rule asks for that.
Matrix initialValues(const Init &init, uint64_t seed, const std::string &name, int64_t rows, int64_t cols, int64_t in,
                     int64_t out);

/// What dropout multiplies each element with: 0, or 1 / (1 - rate). Sample n of the batch is row n.
Matrix dropoutFactors(const std::string &stream, uint64_t seed, double rate, int64_t step, int64_t rows, int64_t cols);

} // namespace sparsec::reference
