#include "sparsec/Memory.h"
#include <algorithm>
#include <cstdlib>

namespace sparsec {

void AlignedDelete::operator()(std::byte *memory) const { std::free(memory); }

AlignedBytes alignedBytes(int64_t size) {
  if (size < 0 || size > (int64_t(1) << 60))
    return nullptr;
  size_t whole = (size_t(std::max<int64_t>(size, 1)) + memoryAlignment - 1) / memoryAlignment * memoryAlignment;
  return AlignedBytes(static_cast<std::byte *>(std::aligned_alloc(memoryAlignment, whole)));
}

void *Arena::get(int64_t bytes) {
  if (bytes < 0)
    return nullptr;
  if (!block || bytes > size) {
    block = nullptr;
    size = 0;
    block = alignedBytes(bytes);
    if (block)
      size = bytes;
  }
  return block.get();
}

void *RaggedPool::get(int64_t bytes) {
  if (bytes < 0 || bytes > (int64_t(1) << 60))
    return nullptr;
  int64_t whole = std::max<int64_t>(1, (bytes + int64_t(memoryAlignment) - 1) / int64_t(memoryAlignment)) *
                  int64_t(memoryAlignment);
  if (blocks.empty() || whole > blocks.back().size - used) {
    constexpr int64_t least = int64_t(1) << 16;
    int64_t size = std::max({whole, total / 2, least});
    AlignedBytes fresh = alignedBytes(size);
    if (!fresh)
      return nullptr;
    before += used;
    used = 0;
    total += size;
    made += 1;
    blocks.push_back({std::move(fresh), size});
  }
  void *result = blocks.back().bytes.get() + used;
  used += whole;
  most = std::max(most, before + used);
  return result;
}

void RaggedPool::reset() {
  if (blocks.size() > 1) {
    blocks.clear();
    // An eighth more than was needed: batches differ a little, and each new maximum would cost two allocations.
    total = most + most / 8;
    AlignedBytes merged = alignedBytes(total);
    if (merged) {
      blocks.push_back({std::move(merged), total});
      made += 1;
    } else {
      total = 0;
    }
  }
  used = before = 0;
}

} // namespace sparsec
