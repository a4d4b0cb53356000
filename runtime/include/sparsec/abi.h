/* The calls between generated code and the runtime. This header is the whole contract: C, no C++.
 *
 * Generated code is a set of entry points `int32_t entry(SparsecContext *, int64_t step)`. A call that can fail returns
 * a status: 0 go on, anything else: return it at once (the message waits in the context). Every pointer handed out
 * stays valid until the entry point returns, unless said otherwise. Sizes count elements, not bytes.
 *
 * A rank's place is (replica, node, shard), its number (replica * nodes + node) * shards + shard. `axes` is a mask of
 * mesh axes: the ranks that differ only in these coordinates, in the order of their numbers.
 */
#ifndef SPARSEC_ABI_H
#define SPARSEC_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SparsecContext SparsecContext; /* one rank of one model */

enum { SPARSEC_AXIS_REPLICATE = 1, SPARSEC_AXIS_NODE = 2, SPARSEC_AXIS_SHARD = 4 };

/* Bags of ids, [source][item][bag][position]. `values` are global row ids, inside their table. Routed ids are
 * [destination][item of the destination][bag][position]: `sources` counts destinations, their numbers of items differ
 * (`items` is -1), and bag_start has an entry for each (destination, item of it), in that order. */
typedef struct SparsecJagged {
  int64_t sources, items;   /* 1 and 1 for the ids of one feature */
  int64_t bags;             /* over all sources and items */
  const int64_t *bag_start; /* [sources * items + 1] first bag of each (source, item), then `bags` */
  const int64_t *offsets;   /* [bags + 1] into values */
  const int64_t *values;    /* [offsets[bags]] */
  const float *weights;     /* one for each value, or null: all 1 */
  const int64_t *counts;    /* [bags] ids the bag had before ids of policy `zero` left it; null: as many as it has.
                               Only in the ids of a feature: neither routing nor an exchange keeps it */
} SparsecJagged;

/* A part of a table on this rank: rows [row0, row0 + rows) x `dim` columns from column `col0`. Field 0 holds the
 * weights [rows, dim], field i > 0 the optimizer's i-th state, [rows, dim] or [rows]; null where there is none. An
 * owner whose block is empty has a part of 0 rows. The same place in every step. */
enum { SPARSEC_MAX_FIELDS = 4 };
typedef struct SparsecPart {
  int64_t row0, rows, col0, dim;
  float *field[SPARSEC_MAX_FIELDS];
} SparsecPart;

/* ---- the batch this rank was given */

int64_t sparsec_batch_size(SparsecContext *);                        /* samples of mine: 0 ... max */
int64_t sparsec_batch_status(SparsecContext *);                      /* 0, or: reading failed (the message waits) */
int64_t sparsec_first_sample(SparsecContext *);                      /* place of my first sample in the global batch */
const float *sparsec_input(SparsecContext *, int32_t block);         /* [samples, width of the input block] */
const float *sparsec_label(SparsecContext *, int32_t label);         /* [samples, 1] */
const SparsecJagged *sparsec_ids(SparsecContext *, int32_t feature); /* 1 source, 1 item, a bag for each sample */

/* ---- from the input of a batch to its step */

/* An input entry runs ahead of the step it serves, on another thread, with the same batch and communicators of its own;
 * it touches no table, parameter or arena. What it leaves in this frame (at least `words` words) its step finds there.
 * The pointers it was handed stay valid until that step has returned. Null: there is no memory. */
int64_t *sparsec_frame(SparsecContext *, int64_t words);

/* ---- parameters and tables */

float *sparsec_param(SparsecContext *, int32_t param, int32_t field); /* dense parameter: 0 weight, i > 0 state */
const SparsecPart *sparsec_part(SparsecContext *, int32_t table, int32_t part); /* null: nothing of it here */

/* ---- memory */

/* Both 64-aligned, not initialised. Null: there is no memory (the message waits): return at once. */
void *sparsec_arena(SparsecContext *, int64_t bytes);  /* this entry point's planned buffers; call it once in a step */
void *sparsec_ragged(SparsecContext *, int64_t bytes); /* run-time sized; from a pool that stops growing */

/* ---- work */

typedef void (*SparsecBody)(void *argument, int64_t begin, int64_t end);
/* Calls body on disjoint ranges that cover [0, n); `grain` is the least length worth a thread. */
void sparsec_parallel(SparsecContext *, SparsecBody, void *argument, int64_t n, int64_t grain);

enum {
  SPARSEC_GEMM_TRANSPOSE_A = 1,
  SPARSEC_GEMM_TRANSPOSE_B = 2,
  SPARSEC_GEMM_RELU = 4,
  SPARSEC_GEMM_SUMS = 8,
  SPARSEC_GEMM_RELU_GRADIENT = 16
};
/* c[m, n] = op(a)[m, k] op(b)[k, n] and what follows it. Row-major, dense. What `with` is, the flags say:
 *   none, or RELU:  a bias [n], added to each row before the activation; null: there is none
 *   SUMS:           [m], gets the sums of op(a) over k: the gradient of a bias, beside that of its weight
 *   RELU_GRADIENT:  y [m, n]: c is 0 where y > 0 is not so, and the gradient before the relu that made y
 * At most one of the three. */
int32_t sparsec_gemm(SparsecContext *, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                     float *with, float *c);

/* ---- a device */

/* In a program for a device the step entries run on the host and ask for work on the device. Parameters, tables,
 * inputs, labels, arena and ragged memory are memory of the device there; what functions of this file take and give as
 * pointers to float is, too, and is aligned to 16 bytes where the runtime gives it. Bags, items, updates, counts and
 * results are memory of the host. Input entries run on the host alone.
 *
 * One thread of a kernel, where the emulator runs it; the struct is the emulator's. */
typedef struct SparsecThread SparsecThread;
typedef void (*SparsecEmulatedKernel)(SparsecThread *, const int64_t *arguments);

/* A kernel of a device program: a constant of the module, one for each kernel. Grids and blocks have one dimension. An
 * argument is a word of 64 bits: a pointer, an int64_t, or a float in its low half. */
typedef struct SparsecKernel {
  const char *name;  /* in the device images, and in errors */
  int32_t arguments; /* how many it takes */
  int32_t threads;   /* of a block: a multiple of 32, at most 1024 */
  int32_t shared;    /* bytes of shared memory that a block has */
  int32_t waits;     /* 1: its threads wait for each other (barriers, shuffles) */
  int32_t units;     /* units of work of a block, where the runtime sizes the grid; see device.h */
  int32_t chunk;     /* positions of a chunk, where segments that are longer are split; 0: they are not */
  const struct SparsecKernel *then; /* finishes split segments; null: nothing is split */
  SparsecEmulatedKernel emulated;   /* null: it is in the device images alone */
} SparsecKernel;

/* Runs the kernel behind what was asked for before; no blocks: nothing happens. The arguments are read before the call
 * returns. */
int32_t sparsec_launch(SparsecContext *, const SparsecKernel *, int64_t blocks, const int64_t *arguments);
/* The same bags, with `offsets`, `values`, `weights` and `counts` in the device's memory. Null: it failed. */
const SparsecJagged *sparsec_on_device(SparsecContext *, const SparsecJagged *);
/* Where the device's memory holds this word until the step ends: for what differs from step to step (a learning rate,
 * the step's number), so that launches do not. Null: it failed. */
const int64_t *sparsec_word_on_device(SparsecContext *, int64_t word);

/* ---- embedding: lookups */

/* Bags [lo, hi): out[bag, :] = sum over the bag of weight * table[value - row0, :]. Kernels of this file are called
 * from several threads at once, on ranges that do not overlap; lo < hi. */
typedef struct SparsecLookup {
  const int64_t *offsets, *values;
  const float *weights; /* or null */
  const float *table;
  int64_t row0;
  float *out;
} SparsecLookup;
typedef void (*SparsecLookupKernel)(const SparsecLookup *, int64_t lo, int64_t hi);
/* What computes lookups of one class: a function of the host or, in a program for a device, a kernel of it that works
 * on lists of device.h. The same for the other classes below. */
typedef union SparsecLookupClass {
  SparsecLookupKernel host;
  const SparsecKernel *device;
} SparsecLookupClass;

/* One lookup of a local table: all its bags. */
typedef struct SparsecLocalItem {
  SparsecLookupClass kernel;
  int32_t table, part;
  const SparsecJagged *ids;
  float *out; /* [bags, dim] */
} SparsecLocalItem;
int32_t sparsec_lookup_local(SparsecContext *, const SparsecLocalItem *, int64_t n);

/* out[bag, 0:dim] (row stride `stride`) = sum over sources, in order, of source[s][bag, 0:dim]; bags [lo, hi). */
typedef struct SparsecCombine {
  const float *const *source;
  int64_t sources, stride;
  float *out;
} SparsecCombine;
typedef void (*SparsecCombineKernel)(const SparsecCombine *, int64_t lo, int64_t hi);
typedef union SparsecCombineClass {
  SparsecCombineKernel host;
  const SparsecKernel *device;
} SparsecCombineClass;

/* One part of one lookup in an exchange over some axes. Its owners are the ranks first ... first + count - 1 of those
 * axes, counted from 0 in the order of their numbers; owner i holds the i-th block of ceil(rows / count) rows. The
 * rank's own items are those it owns, in order. All ranks pass the same items. Several lookups may share a part. */
typedef struct SparsecItem {
  int32_t lookup; /* which of the exchange's lookups */
  int32_t table, part;
  int32_t first, count;
  int32_t col0, dim;
  int64_t rows; /* of the whole table */
  SparsecLookupClass lookup_kernel;
  SparsecCombineClass combine_kernel;
} SparsecItem;

/* Ids to their owners: result [destination][item of the destination][bag][position]. Every owner of an item gets all
 * bags of its lookup, empty ones too. Weights travel along: if one lookup has some, the others get ones. Fails on an id
 * outside [0, rows). */
int32_t sparsec_route(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                      const SparsecJagged *const *ids, int64_t lookups, const SparsecJagged **result);
/* All-to-all of bags; lengths travel first. Result [source][my item][bag][position]. */
int32_t sparsec_exchange_ids(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                             const SparsecJagged *routed, const SparsecJagged **result);
/* Floats to send to and receive from each rank when pooled rows go back to who asked; no message. `to_asker` [ranks]:
 * for bags others routed to me; `from_owner` [ranks]: for bags I routed. Gradients go the other way: send `from_owner`,
 * receive `to_asker`. */
int32_t sparsec_exchange_counts(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                                const SparsecJagged *routed, const SparsecJagged *received, int64_t *to_asker,
                                int64_t *from_owner);
/* Pooled rows of everything I own: out [source][my item][bag][dim of the item]; in_node 1: sources by shard, then by
 * node. */
int32_t sparsec_lookup_served(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                              const SparsecJagged *received, int32_t in_node, float *out);

/* out[l]: [bags of lookup l, dim[l]]; rows: [owner][item of the owner][bag][dim of the item], as it came from the
 * owners. The combine kernel of an item gets its owners in order, and writes its columns. in_node 1: rows are sums of
 * the owners already, one list for each node: [node][item of the node][bag][dim of the item]. */
int32_t sparsec_combine_sources(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                                const SparsecJagged *routed, int32_t in_node, const float *rows, float *const *out,
                                const int64_t *dim);
/* Its adjoint: every owner, or node, gets its columns of every bag. */
int32_t sparsec_spread_sources(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                               const SparsecJagged *routed, int32_t in_node, const float *const *gradient,
                               const int64_t *dim, float *rows);

/* Rows that go back in two steps (in_node 1), for items whose owners are the ranks of one node; axes: node and shard.
 * Each owner sends an asker's partial sums to the rank of its own node that has the asker's shard coordinate; that rank
 * adds them up and sends the sums to the asker. Gradients go the other way: send for receive.
 *
 * Floats of both steps, from those of sparsec_exchange_counts; no message. `inside_*` [shards]: with the ranks of my
 * node; `across_*` [nodes]: with the ranks of my shard coordinate. */
int32_t sparsec_node_counts(SparsecContext *, int32_t axes, const int64_t *to_asker, const int64_t *from_owner,
                            int64_t *inside_send, int64_t *inside_receive, int64_t *across_send,
                            int64_t *across_receive);
/* rows: [owner of my node][node of the asker][my item][bag][dim of the item]; out: the same without owners, their sum.
 * The combine kernel of an item gets its owners in order. */
int32_t sparsec_sum_in_node(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                            const SparsecJagged *received, const float *rows, float *out);
/* Its adjoint: rows holds gradient [floats] for each owner of my node. */
int32_t sparsec_copy_in_node(SparsecContext *, const float *gradient, int64_t floats, float *rows);

/* Unique form: `unique` (1 source, 1 item, no weights) has one bag for each distinct id, ascending, with that id alone;
 * `at` has the bags of ids, their weights and counts, with places in `unique` instead of ids. */
int32_t sparsec_unique(SparsecContext *, const SparsecJagged *ids, const SparsecJagged **unique,
                       const SparsecJagged **at);

/* ---- embedding: row gradients and updates */

/* Gradients of rows that are not summed yet: a list of (part, row, place of a gradient row, weight), in order. Opaque.
 * It refers to the ids and gradients it was made of. A list may hold several parts of its table (a rank may own more
 * than one); an update takes from it what is of the update's part. Functions that return one return null where they
 * fail (the message waits); passing null on fails too, so one check, of a later status, is enough. */
typedef struct SparsecRows SparsecRows;

SparsecRows *sparsec_row_gradients_local(SparsecContext *, int32_t table, int32_t part, const SparsecJagged *ids,
                                         const float *gradient /* [bags, dim] */);
/* All that this rank owns of `table` among the items: order source, item, bag, position. The gradient lies as the rows
 * of sparsec_lookup_served do. */
SparsecRows *sparsec_row_gradients_served(SparsecContext *, int32_t axes, const SparsecItem *, int64_t items,
                                          int32_t table, const SparsecJagged *received, int32_t in_node,
                                          const float *gradient);
/* Of one table, one list after the other; n > 0. */
SparsecRows *sparsec_rows_join(SparsecContext *, SparsecRows *const *, int64_t n);

/* Segments [lo, hi): row rows[s] of the part gets the sum over k in [start[s], start[s + 1]) of weight[k] *
 * gradient[k]. `sum` kernels write it to out[s, :]; `step` kernels do one optimizer step on fields; both get segments.
 * `sweep` kernels get local rows [lo, hi) of the part instead and step each, with gradient 0 where no segment has it;
 * they see all segments of the part (`segments` of them, ascending; there may be none). */
typedef struct SparsecSegments {
  int64_t segments;
  const int64_t *rows;          /* [segments] local row, ascending */
  const int64_t *start;         /* [segments + 1] into gradient and weight; start[0] need not be 0 */
  const float *const *gradient; /* place of each gradient row */
  const float *weight;          /* or null */
  float *out;                   /* of sum kernels */
  float *const *field;          /* the part's fields */
  float lr, scale;              /* these and step: of step and sweep kernels */
  int64_t step;
} SparsecSegments;
typedef void (*SparsecSegmentKernel)(const SparsecSegments *, int64_t lo, int64_t hi);
typedef union SparsecSegmentClass {
  SparsecSegmentKernel host;
  const SparsecKernel *device;
} SparsecSegmentClass;

typedef struct SparsecUpdate {
  SparsecSegmentClass kernel;
  int32_t table, part, sweep; /* sweep: 1 for `update: whole` */
  SparsecRows *rows;
} SparsecUpdate;

/* The adjoint of replicas: sums within the rank, gathers from all ranks of `axes`, keeps rank order. result[i] for
 * update i (same table and part, rows of all replicas). One message for all. `kernel` of each is its `sum` kernel. All
 * ranks of `axes` pass the same updates and hold the same rows of each part. */
int32_t sparsec_rows_reduce(SparsecContext *, int32_t axes, const SparsecUpdate *, int64_t n, SparsecRows **result);
/* One sort for all, then one step for each touched row. A part may stand in one update only (join its rows first). An
 * update of a part that is not here does nothing. */
int32_t sparsec_update(SparsecContext *, const SparsecUpdate *, int64_t n, float lr, float scale, int64_t step);

/* ---- collectives */

/* All go on (0) or all stop, with the message of the first rank that has one; result = sum of sizes. */
int32_t sparsec_agree(SparsecContext *, int32_t axes, int64_t status, int64_t size, int64_t *result);
int32_t sparsec_all_reduce(SparsecContext *, int32_t axes, float *data, int64_t n); /* sum, in rank order, in place */
/* Two halves of an exchange of floats: counts per rank of `axes`. The token is good for one wait. */
int32_t sparsec_exchange_start(SparsecContext *, int32_t axes, const float *send, const int64_t *send_counts,
                               float *receive, const int64_t *receive_counts, int64_t *token);
int32_t sparsec_all_reduce_start(SparsecContext *, int32_t axes, float *data, int64_t n, int64_t *token);
int32_t sparsec_wait(SparsecContext *, int64_t token);

/* ---- results */

/* The global loss, the same on all ranks; not finite: all stop. The host reads it at once and stops there; a device
 * reads it behind the work asked for before, and the step is judged at its end. */
int32_t sparsec_report_loss(SparsecContext *, const float *loss);
/* eval: logits; predict: values; one for each of my samples. A second call for a task replaces the first. */
void sparsec_output(SparsecContext *, int32_t task, const float *values, int64_t n);

/* ---- what an executable is */

typedef int32_t (*SparsecEntry)(SparsecContext *, int64_t step);
typedef struct SparsecStages {
  SparsecEntry input; /* null: nothing to prepare */
  SparsecEntry step;  /* null: the program has none */
} SparsecStages;

/* Code of a device: a cubin for `arch` (90: sm_90), or with `ptx` 1 text for it and what comes after it. */
typedef struct SparsecImage {
  int32_t arch, ptx;
  const void *bytes;
  int64_t size;
} SparsecImage;
/* Whether a device of architecture `device` runs it: a cubin runs on those of its major version from its own on. */
static inline int32_t sparsec_image_runs(int32_t arch, int32_t ptx, int32_t device) {
  return arch <= device && (ptx || arch / 10 == device / 10);
}

typedef struct SparsecProgramImage SparsecProgramImage;
/* Puts the steps of a context on a device; all ranks call it, before the first step. The program names one of
 * these, so that the linker finds its library. */
typedef int32_t (*SparsecBackend)(SparsecContext *, const SparsecProgramImage *);
int32_t sparsec_backend_emulated(SparsecContext *, const SparsecProgramImage *);
int32_t sparsec_backend_cuda(SparsecContext *, const SparsecProgramImage *);

struct SparsecProgramImage {
  int64_t abi;             /* SPARSEC_ABI */
  const char *description; /* JSON, see Program.h */
  int64_t description_size;
  SparsecStages train, eval, predict;
  /* Of a device; null and 0 in a program for the CPU. */
  SparsecBackend backend;
  const SparsecKernel *const *kernels; /* [SPARSEC_KERNELS], see device.h */
  const SparsecImage *images;
  int64_t image_count;
};
enum { SPARSEC_ABI = 4 };

#ifdef __cplusplus
}
#endif
#endif
