// Who touched a word of memory last: what races are found with.
#pragma once
#include <cstdint>

namespace sparsec {

/// One for each 4 bytes that kernels touch. Actors are numbers from 1 that never come back: blocks of launches for the
/// device's memory, threads between two barriers for shared memory. Actors from `first` on run side by side with the
/// one that touches the word now; whatever smaller ones did is over.
struct AccessCell {
  static constexpr uint32_t flag = uint32_t(1) << 31;
  uint32_t writer = 0; // with `flag`: atomically
  uint32_t reader = 0; // with `flag`: others before it, too

  bool written() const { return writer != 0; }

  /// The actor that this read races with; 0: none.
  uint32_t read(uint32_t actor, uint32_t first) {
    uint32_t other = writer & ~flag;
    if (other >= first && other != actor)
      return other;
    uint32_t before = reader & ~flag;
    if (before < first)
      reader = actor;
    else if (before != actor)
      reader = actor | flag;
    return 0;
  }
  uint32_t write(uint32_t actor, uint32_t first, bool atomic) {
    uint32_t other = writer & ~flag, before = reader & ~flag;
    if (other >= first && other != actor && !(atomic && (writer & flag)))
      return other;
    if (before >= first && (before != actor || (reader & flag)))
      return before;
    writer = actor | (atomic ? flag : 0);
    return 0;
  }
};
static_assert(sizeof(AccessCell) == 8);

} // namespace sparsec
