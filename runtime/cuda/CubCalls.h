/* The library that nvcc builds once, carried by executables and opened at run time: CUB's algorithms (Cub.cu) and what
 * goes with products of cuBLASLt (ReluMask.cu). C, so that both sides read it. Every call enqueues work on `stream` (a
 * cudaStream_t) and returns a cudaError_t.
 */
#ifndef SPARSEC_CUDA_CUB_CALLS_H
#define SPARSEC_CUDA_CUB_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stable: keys ascending, by their lowest `bits` bits, values with them. `workspace` null: only sets *bytes to what it
 * must have. n < 2^31. */
int sparsec_cub_sort_pairs(void *workspace, size_t *bytes, const uint64_t *keys, uint64_t *sorted_keys,
                           const uint32_t *values, uint32_t *sorted_values, int64_t n, int bits, void *stream);
/* run[k] = number of the run of equal keys that position k is in, from 0. */
int sparsec_cub_runs(void *workspace, size_t *bytes, const uint64_t *keys, int64_t n, uint32_t *run, void *stream);

/* Bit j of row i says whether y[rows, columns] is above 0 at i, j; the lowest bit of a word comes first. bits_of_row: a
 * multiple of 32, at least `columns`; bits behind them are 0. */
int sparsec_relu_bits(const float *y, int64_t rows, int64_t columns, int64_t bits_of_row, uint32_t *bits, void *stream);
/* c[n] is 0 where y[n] > 0 is not so. */
int sparsec_relu_gradient(const float *y, float *c, int64_t n, void *stream);

#ifdef __cplusplus
}
#endif
#endif
