// Widths of rows and other shapes for which kernels are tested.
#pragma once
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace sparsec::codegen::device {

inline const int64_t rowDims[] = {1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 129, 256, 1023, 1024, 2048};
inline const int64_t poolingDims[] = {1, 2, 3, 4, 5, 16, 31, 64, 100, 128, 129, 256};

struct TestedInteraction {
  int64_t inputs, dim;
};
/// Every dim and every number of inputs a few times, and what does not fit a block at once.
inline std::vector<TestedInteraction> interactionShapes() {
  const int64_t inputs[] = {1, 2, 3, 4, 5, 27, 40}, dims[] = {1, 2, 3, 4, 5, 16, 31, 64, 100, 128, 129, 256};
  std::vector<TestedInteraction> all{{27, 128}, {2, 128}, {68, 8}, {100, 5}, {100, 64}, {255, 4}};
  for (size_t i = 0; i < std::size(inputs); ++i)
    for (size_t d = 0; d < std::size(dims); ++d)
      if ((3 * i + d) % 4 == 0)
        all.push_back({inputs[i], dims[d]});
  return all;
}

/// Which optimizer, of so many, sweeps rows of rowDims[d].
inline size_t sweepRule(size_t d, size_t rules) { return d % rules; }

} // namespace sparsec::codegen::device
