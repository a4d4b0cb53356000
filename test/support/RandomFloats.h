// Numbers for tests.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace sparsec {

/// `n` of them in [-1, 1), each a draw.
inline std::vector<float> randomFloats(int64_t n, std::mt19937 &random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float &value : values)
    value = uniform(random);
  return values;
}

} // namespace sparsec
