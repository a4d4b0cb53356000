// Where buffers lie in one arena: buffers alive at the same time do not overlap, others may share bytes.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace sparsec::codegen {

/// Alive at positions first ... last of straight-line code, both included.
struct BufferLife {
  int64_t bytes, first, last;
};
struct ArenaLayout {
  llvm::SmallVector<int64_t> offsets; // bytes from the arena's start, by buffer
  int64_t bytes = 0;
};
/// Largest buffers first, each at the lowest free offset. Offsets are multiples of `alignment`.
ArenaLayout layoutArena(llvm::ArrayRef<BufferLife> buffers, int64_t alignment);

} // namespace sparsec::codegen
