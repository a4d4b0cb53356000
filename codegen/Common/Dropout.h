// Which elements dropout keeps: the one definition, for generated code (DenseDropout.cpp) and for tests.
//
// Key of the Philox4x32-10 generator: XXH64(stream, seed), low word first. Counter of (step, sample, column), sample
// being the place in the global batch: {step low, sample low, column, step high ^ sample high}. Its first word, x,
// decides: the element is zero if x < threshold, with threshold = rate * 2^32 rounded to the nearest integer (at most
// 2^32 - 1); else it is multiplied by 1 / (1 - rate), rounded to float.
#pragma once
#include "sparsec/Philox.h"
#include <cmath>
#include <cstdint>
#include <string_view>

namespace sparsec::codegen {

struct DropoutRule {
  DropoutRule(std::string_view stream, uint64_t seed, double rate);
  PhiloxKey key;
  uint32_t threshold;
  float factor;

  /// What the element is multiplied by: 0 or factor.
  float operator()(int64_t step, int64_t sample, int64_t column) const {
    uint64_t t = uint64_t(step), s = uint64_t(sample);
    uint32_t x = philox({uint32_t(t), uint32_t(s), uint32_t(column), uint32_t(t >> 32) ^ uint32_t(s >> 32)}, key)[0];
    return x < threshold ? 0.0f : factor;
  }
};

} // namespace sparsec::codegen
