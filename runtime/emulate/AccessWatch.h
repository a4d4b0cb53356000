// Judges every access of a launch.
#pragma once
#include "emulate/Fault.h"
#include "emulate/MemoryMap.h"
#include <vector>

namespace sparsec {

class AccessWatch {
public:
  explicit AccessWatch(EmulatedMemory &memory) : memory(memory) {}

  /// At most mostBlocks.
  void beginLaunch(int64_t blocks);
  /// All of the block's shared memory is poisoned and counts as not written.
  void beginBlock(int64_t block, int64_t sharedBytes, int64_t threads);
  /// All threads have met: what they did before to shared memory is over.
  void passBarrier();
  unsigned char *shared() { return sharedData; }

  /// `bytes` is 1, 2, 4, 8 or 16.
  emulate::Fault check(const void *address, int64_t bytes, int32_t access, int64_t thread);

  static constexpr int64_t mostBlocks = AccessCell::flag - 2;

private:
  emulate::Fault touch(AccessCell *cells, int64_t words, int32_t access, uint32_t actor, uint32_t first);
  emulate::Fault checkShared(int64_t offset, int64_t bytes, int32_t access, int64_t thread);

  EmulatedMemory &memory;
  uint32_t lastActor = 0;             // of all launches so far
  uint32_t firstBlock = 1, block = 1; // actors
  std::vector<AccessCell> sharedCells;
  std::vector<unsigned char> sharedBlock;
  unsigned char *sharedData = nullptr;
  int64_t sharedBytes = 0, threads = 0;
  uint32_t firstThread = 1; // the actor that thread 0 is until the next barrier
};

} // namespace sparsec
