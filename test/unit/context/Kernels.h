// Kernels as the compiler makes them, written by hand: the class is the template argument.
#pragma once
#include "sparsec/abi.h"
#include <cmath>

namespace sparsec::test {

template <int D> void lookupSum(const SparsecLookup *a, int64_t lo, int64_t hi) {
  for (int64_t bag = lo; bag < hi; ++bag) {
    float sum[D] = {};
    for (int64_t p = a->offsets[bag]; p < a->offsets[bag + 1]; ++p)
      for (int d = 0; d < D; ++d)
        sum[d] += (a->weights ? a->weights[p] : 1.0f) * a->table[(a->values[p] - a->row0) * D + d];
    for (int d = 0; d < D; ++d)
      a->out[bag * D + d] = sum[d];
  }
}

template <int D> void combineSum(const SparsecCombine *a, int64_t lo, int64_t hi) {
  for (int64_t bag = lo; bag < hi; ++bag)
    for (int d = 0; d < D; ++d) {
      float sum = 0;
      for (int64_t s = 0; s < a->sources; ++s)
        sum += a->source[s][bag * D + d];
      a->out[bag * a->stride + d] = sum;
    }
}

template <int D> void sumSegment(const SparsecSegments *a, int64_t s, float *sum) {
  for (int d = 0; d < D; ++d)
    sum[d] = 0;
  for (int64_t k = a->start[s]; k < a->start[s + 1]; ++k)
    for (int d = 0; d < D; ++d)
      sum[d] += (a->weight ? a->weight[k] : 1.0f) * a->gradient[k][d];
}

template <int D> void segmentSum(const SparsecSegments *a, int64_t lo, int64_t hi) {
  for (int64_t s = lo; s < hi; ++s)
    sumSegment<D>(a, s, a->out + s * D);
}

/// AdaGrad with one number for each row: v += mean(g^2); w -= lr g / (sqrt(v) + 1e-4).
template <int D> void stepRow(const SparsecSegments *a, int64_t row, const float *g) {
  float mean = 0;
  for (int d = 0; d < D; ++d)
    mean += a->scale * g[d] * (a->scale * g[d]) / D;
  float v = a->field[1][row] += mean;
  for (int d = 0; d < D; ++d)
    a->field[0][row * D + d] -= a->lr * (a->scale * g[d]) / (std::sqrt(v) + 1e-4f);
}

template <int D> void rowWiseAdagrad(const SparsecSegments *a, int64_t lo, int64_t hi) {
  for (int64_t s = lo; s < hi; ++s) {
    float g[D];
    sumSegment<D>(a, s, g);
    stepRow<D>(a, a->rows[s], g);
  }
}

template <int D> void sgd(const SparsecSegments *a, int64_t lo, int64_t hi) {
  for (int64_t s = lo; s < hi; ++s) {
    float g[D];
    sumSegment<D>(a, s, g);
    for (int d = 0; d < D; ++d)
      a->field[0][a->rows[s] * D + d] -= a->lr * a->scale * g[d];
  }
}

/// Every row decays by lr / 8 and gets its gradient, if it has one.
template <int D> void sgdSweep(const SparsecSegments *a, int64_t lo, int64_t hi) {
  int64_t s = 0;
  while (s < a->segments && a->rows[s] < lo)
    ++s;
  for (int64_t row = lo; row < hi; ++row) {
    float g[D] = {};
    if (s < a->segments && a->rows[s] == row)
      sumSegment<D>(a, s++, g);
    for (int d = 0; d < D; ++d)
      a->field[0][row * D + d] -= a->lr * (a->scale * g[d] + a->field[0][row * D + d] / 8);
  }
}

struct Kernels {
  SparsecLookupClass lookup;
  SparsecCombineClass combine;
  SparsecSegmentClass sum, sgd, sweep, adagrad;
};
template <int D> Kernels kernelsOf() {
  return {{lookupSum<D>}, {combineSum<D>}, {segmentSum<D>}, {sgd<D>}, {sgdSweep<D>}, {rowWiseAdagrad<D>}};
}
inline Kernels hostKernels(int64_t dim) {
  switch (dim) {
  case 1:
    return kernelsOf<1>();
  case 2:
    return kernelsOf<2>();
  case 3:
    return kernelsOf<3>();
  case 8:
    return kernelsOf<8>();
  case 16:
    return kernelsOf<16>();
  case 64:
    return kernelsOf<64>();
  case 128:
    return kernelsOf<128>();
  }
  return {};
}

} // namespace sparsec::test
