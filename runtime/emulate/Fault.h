// What a kernel did wrong, and how it is told.
#pragma once
#include "sparsec/emulated_thread.h"
#include <string>

namespace sparsec::emulate {

struct Fault {
  enum Kind {
    none,
    outside,       // of all memory of the device
    misaligned,    // an address that is no multiple of the bytes it touches
    uninitialised, // shared memory that nobody has written
    race,          // with `other`, a block, or with `thread` of the same block in shared memory
    alone,         // waits for thread `other`, which waits elsewhere or has ended
    unexpected     // waits although its record says that it does not
  };
  Kind kind = none;
  bool shared = false; // memory
  int32_t access = SPARSEC_ACCESS_LOAD;
  int64_t bytes = 0, other = 0;
  const SparsecSite *otherSite = nullptr; // where `other` waits; null: it has ended
  // Filled in by who runs the thread.
  int64_t block = 0, thread = 0;
  const SparsecSite *site = nullptr;
};

/// One line: place, kernel, block, thread, and what.
std::string describe(const Fault &, const SparsecKernel &);

} // namespace sparsec::emulate
