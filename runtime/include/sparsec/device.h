/* What kernels of a device find in the device's memory: the lists of fused launches, which the runtime writes and
 * generated kernels read. C, as abi.h is; a test holds the compiler's view of these structs against it.
 *
 * A fused launch works on a list of entries; unit u of the launch (a bag, a chunk, an occurrence) belongs to the last
 * entry whose `first` is at most u. The list ends with an entry, number n, whose `first` is the number of all units;
 * its other fields mean nothing. Launches may have more blocks than these need: counts that change from step to step
 * are in the device's memory alone, so that steps alike are the same launches.
 */
#ifndef SPARSEC_DEVICE_H
#define SPARSEC_DEVICE_H

#include "sparsec/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lookups: out[bag, :] = sum over the bag of weight * table[value - row0, :]
 *
 * By bag (chunk 0): kernel(list, n); units are bags.
 * Split (chunk c > 0): positions of each entry, counted from offsets[0], are cut into chunks of c. kernel(list, n,
 * partial), units are chunks, sums inside chunks: bags that lie in one chunk are done, of the others the sum of each
 * piece is kept: partial[chunk, 0, :] of a bag that began before the chunk, partial[chunk, 1, :] of one that goes on
 * behind it (a bag that does both: 0). Then kernel->then(list, n, partial), units are bags: adds the pieces in order;
 * writes empty bags. `partial` is [chunks, 2, dim]. */
typedef struct SparsecLookupEntry {
  int64_t first;       /* bag */
  int64_t first_chunk; /* of split lookups */
  const int64_t *offsets, *values;
  const float *weights; /* or null */
  const float *table;
  int64_t row0;
  float *out;
} SparsecLookupEntry;

/* ---- rows of several sources added: out[bag, 0:dim] (row stride `stride`) = sum of source[s][bag, 0:dim], in order
 *
 * kernel(list, n); units are bags. */
typedef struct SparsecCombineEntry {
  int64_t first; /* bag */
  const float *const *source;
  int64_t sources, stride;
  float *out;
} SparsecCombineEntry;

/* ---- rows copied: to[row, 0:dim] (stride `to_stride`) = from[row, 0:dim] (stride `from_stride`)
 *
 * SPARSEC_KERNEL_COPY_ROWS(list, n); units are floats. */
typedef struct SparsecCopyEntry {
  int64_t first; /* float */
  const float *from;
  float *to;
  int64_t dim, from_stride, to_stride;
} SparsecCopyEntry;

/* ---- row gradients: occurrences of rows, sorted by (update, row)
 *
 * SPARSEC_KERNEL_ROW_KEYS(list, n, slots, keys, order, gradient, weight); units are the slots of the arrays. Of
 * occurrence k, position p of its entry (p = k - first, counted from offsets[0], or from 0): keys[k] = key + value -
 * row0 [uint64], order[k] = k [uint32], gradient[k] = address of the gradient row of its bag, weight[k] = its weight
 * or 1. Slots behind the last occurrence get the key of entry n, which no occurrence is above, and their number. */
typedef struct SparsecOccurrences {
  int64_t first; /* occurrence */
  int64_t bags;
  const int64_t *offsets; /* [bags + 1]; null: bag b has the one value values[b] */
  const int64_t *values;
  const float *weights;  /* or null */
  const float *gradient; /* [bags, dim] */
  int64_t dim, row0, key;
} SparsecOccurrences;

/* Steps of the rows of updates of one class. Occurrences [from, to) of the sorted ones are theirs; an update's keys are
 * key + local row. A segment (equal keys) is summed in order, times `scale`, and its row is stepped once.
 *
 * Split segments as in lookups, chunks counted from position `from`: kernel(sorted, partial), units are chunks, then
 * kernel->then(list, n, sorted, partial, hyper), units are positions, counted from `from`. `partial` is [chunks, 2,
 * dim]. Kernels for `update: whole` have the same arguments; their units are the rows of all updates (`first`), and
 * rows without occurrences step with gradient 0. */
typedef struct SparsecSorted {
  const uint64_t *keys;         /* sorted */
  const uint32_t *order;        /* where the k-th sorted key came from */
  const float *const *gradient; /* by place before sorting, as `weight` */
  const float *weight;
  int64_t from, to; /* occurrences of the class */
} SparsecSorted;
typedef struct SparsecHyper {
  float lr, scale;
  int64_t step;
} SparsecHyper;
typedef struct SparsecUpdateEntry {
  int64_t first; /* row, where units are rows */
  int64_t key, rows;
  float *field[SPARSEC_MAX_FIELDS];
} SparsecUpdateEntry;

/* Sums of segments, written one behind the other: kernel as above, then kernel->then(list, n, sorted, partial, run),
 * units are positions. run[k] [uint32] is the number of the segment that position k is in, counted from
 * position 0 of all; segment r of an update goes to rows[r - first_run] = row0 + local row and out[r - first_run, :].
 */
typedef struct SparsecSumEntry {
  int64_t key;       /* of row 0 */
  int64_t row0;      /* added to rows */
  int64_t first_run; /* the run that out[0] is */
  int64_t *rows;
  float *out;
} SparsecSumEntry;

/* ---- kernels of no class, in the program image */
enum { SPARSEC_KERNEL_COPY_ROWS, SPARSEC_KERNEL_ROW_KEYS, SPARSEC_KERNELS };

#ifdef __cplusplus
}
#endif
#endif
