/* The calls between emulated kernels and the emulator that runs them: what code generated for the emulator sees of a
 * thread of the device, and what it asks before it touches memory. C, as abi.h is.
 */
#ifndef SPARSEC_EMULATED_THREAD_H
#define SPARSEC_EMULATED_THREAD_H

#include "sparsec/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The emulator's own fields lie behind these. */
struct SparsecThread {
  int64_t thread, block;   /* numbers of this thread in its block, of its block in the grid */
  int64_t threads, blocks; /* of a block; of the grid */
  unsigned char *shared;   /* the block's shared memory, aligned to 128 bytes */
};

/* A place in the source of a kernel; a constant of the module. */
typedef struct SparsecSite {
  const char *file;
  int32_t line, column;
} SparsecSite;

enum { SPARSEC_ACCESS_LOAD, SPARSEC_ACCESS_STORE, SPARSEC_ACCESS_ATOMIC };

/* Of `bytes` bytes of the device's or of shared memory, right before they are touched; `bytes` is also the
 * alignment that the device asks for. Does not return where the access is wrong. */
void sparsec_emulated_access(SparsecThread *, const void *address, int64_t bytes, int32_t access, const SparsecSite *);

/* All threads of the block wait here for each other. */
void sparsec_emulated_barrier(SparsecThread *, const SparsecSite *);

enum { SPARSEC_SHUFFLE_XOR, SPARSEC_SHUFFLE_DOWN, SPARSEC_SHUFFLE_UP, SPARSEC_SHUFFLE_LANE };

/* All 32 threads of the warp meet here. Result: the word of lane (my lane, `mode`, operand); my own where there is no
 * such lane. */
int64_t sparsec_emulated_shuffle(SparsecThread *, int64_t word, int64_t operand, int32_t mode, const SparsecSite *);

#ifdef __cplusplus
}
#endif
#endif
