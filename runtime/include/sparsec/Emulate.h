// Kernels of a device program on the host: memory of the emulated device, and launches run thread by thread, watched.
#pragma once
#include "sparsec/Status.h"
#include "sparsec/abi.h"
#include <cstddef>
#include <map>
#include <memory>

namespace sparsec {

struct AccessCell;

/// Memory of one emulated device. An allocation costs address space; pages cost memory once they are touched, so tables
/// of tens of gigabytes of which little is touched do. Kernels may touch what is allocated here and nothing else;
/// copies to and from the device may use plain memcpy.
class EmulatedMemory {
public:
  EmulatedMemory();
  ~EmulatedMemory();
  EmulatedMemory(const EmulatedMemory &) = delete;
  EmulatedMemory &operator=(const EmulatedMemory &) = delete;

  /// Aligned to 256 bytes, unmapped addresses on both sides. Up to 1 MiB it is filled with NaNs, more is zero. Null:
  /// there is no address space left. No bytes are an allocation, too.
  void *allocate(int64_t bytes);
  void free(void *); // of one allocation, or null
  /// Whether all of [address, address + bytes) lies in one allocation.
  bool contains(const void *address, int64_t bytes) const;
  int64_t allocated() const { return held; } // bytes asked for and not freed

private:
  friend class AccessWatch;
  struct Allocation {
    int64_t bytes, granules;
  };
  void forgetAccesses();
  std::byte *data = nullptr;         // the reserved addresses
  AccessCell *cells = nullptr;       // one for each 4 bytes of data
  int64_t *end = nullptr;            // for each granule: where its allocation ends, in bytes from `data`; 0: vacant
  std::map<int64_t, int64_t> vacant; // first granule -> granules
  std::map<int64_t, Allocation> live;
  int64_t held = 0;
};

/// In which order the threads of a block take turns, and the blocks of a grid. Results of right kernels do not depend
/// on it. `random` is the same order for the same seed and launches.
struct EmulationOrder {
  enum Kind { forward, reversed, random } kind = forward;
  uint64_t seed = 0;
};

/// Runs launches, one after the other; one emulator belongs to one device and is used by one thread at a time.
class Emulator {
public:
  Emulator();
  ~Emulator();

  EmulatedMemory &memory();
  void setOrder(EmulationOrder);
  /// Runs all blocks. Fails at the first thing that is wrong, in words with kernel, block, thread and source place:
  /// - an access outside the allocations of `memory()`, or one that is not aligned to its own size
  /// - a read of shared memory that no thread has written since the block began
  /// - a race: one 4-byte word touched by two blocks, or word of shared memory touched by two threads between barriers,
  ///   where one of them writes and not both are atomic
  /// - threads that wait for each other at different places, or for threads that have ended
  /// What the kernel wrote before that stays written. No blocks: nothing happens.
  Status launch(const SparsecKernel &, int64_t blocks, const int64_t *arguments);

private:
  struct Machine;
  std::unique_ptr<Machine> machine;
};

} // namespace sparsec
