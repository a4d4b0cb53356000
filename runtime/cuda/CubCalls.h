/* The library of CUB's algorithms, built once by nvcc from Cub.cu, carried by executables and opened at run time. C, so
 * that both sides read it. Every call enqueues work on `stream` (a cudaStream_t) and returns a cudaError_t.
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

#ifdef __cplusplus
}
#endif
#endif
