#include "codegen/Common/ArenaLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace sparsec::codegen;

ArenaLayout sparsec::codegen::layoutArena(llvm::ArrayRef<BufferLife> buffers, int64_t alignment) {
  auto rounded = [&](int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, buffers.size()));
  llvm::stable_sort(order, [&](size_t x, size_t y) { return buffers[x].bytes > buffers[y].bytes; });

  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  llvm::SmallVector<size_t> placed; // by offset
  for (size_t i : order) {
    const BufferLife &mine = buffers[i];
    int64_t size = rounded(mine.bytes), offset = 0;
    for (size_t j : placed) {
      const BufferLife &other = buffers[j];
      if (other.last < mine.first || mine.last < other.first)
        continue;
      if (offset + size <= layout.offsets[j])
        break;
      offset = std::max(offset, layout.offsets[j] + rounded(other.bytes));
    }
    layout.offsets[i] = offset;
    layout.bytes = std::max(layout.bytes, offset + size);
    auto place = llvm::upper_bound(placed, offset, [&](int64_t at, size_t j) { return at < layout.offsets[j]; });
    placed.insert(place, i);
  }
  return layout;
}
