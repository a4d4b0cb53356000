// Relu's gradient by its output, for products of cuBLASLt. Bits of its own forward products (RELU_AUX) may also be set
// where a unit is exactly 0, and let a gradient through there that has to be 0: so they are made here, of y > 0.
#include "CubCalls.h"

namespace {

constexpr int threads = 256, lanes = 32;
constexpr int64_t mostBlocks = int64_t(1) << 20;

unsigned blocksFor(int64_t work) {
  int64_t blocks = (work + threads - 1) / threads;
  return unsigned(blocks < mostBlocks ? blocks : mostBlocks);
}

/// A warp for each word of 32 bits; those behind the end of a row are 0.
__global__ void setBits(const float *y, int64_t rows, int64_t columns, int64_t wordsOfRow, uint32_t *bits) {
  int64_t step = int64_t(gridDim.x) * (threads / lanes), lane = threadIdx.x % lanes;
  for (int64_t word = (int64_t(blockIdx.x) * threads + threadIdx.x) / lanes; word < rows * wordsOfRow; word += step) {
    int64_t row = word / wordsOfRow, column = word % wordsOfRow * lanes + lane;
    uint32_t set = __ballot_sync(~0u, column < columns && y[row * columns + column] > 0);
    if (lane == 0)
      bits[word] = set;
  }
}

__global__ void mask(const float *y, float *c, int64_t n) {
  for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += int64_t(gridDim.x) * threads)
    c[i] = y[i] > 0 ? c[i] : 0;
}

} // namespace

extern "C" int sparsec_relu_bits(const float *y, int64_t rows, int64_t columns, int64_t bitsOfRow, uint32_t *bits,
                                 void *stream) {
  setBits<<<blocksFor(rows * bitsOfRow), threads, 0, static_cast<cudaStream_t>(stream)>>>(y, rows, columns,
                                                                                          bitsOfRow / lanes, bits);
  return cudaGetLastError();
}

extern "C" int sparsec_relu_gradient(const float *y, float *c, int64_t n, void *stream) {
  mask<<<blocksFor(n), threads, 0, static_cast<cudaStream_t>(stream)>>>(y, c, n);
  return cudaGetLastError();
}
