// What nvcc compiled (CubCalls.h): a shared library that the executable carries in itself (CubImage.S) and opens at run
// time.
#pragma once
#include "CubCalls.h"
#include "Library.h"

namespace sparsec::cuda {

class Cub {
public:
  /// The error says where it has to be built when the executable carries none.
  static Result<Cub> open();
  decltype(sparsec_cub_sort_pairs) *sortPairs = nullptr;
  decltype(sparsec_cub_runs) *runs = nullptr;
  decltype(sparsec_relu_bits) *reluBits = nullptr;
  decltype(sparsec_relu_gradient) *reluGradient = nullptr;

private:
  Library library;
};

} // namespace sparsec::cuda
