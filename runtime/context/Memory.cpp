#include "sparsec/Memory.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sparsec {

void AlignedDelete::operator()(std::byte *memory) const { std::free(memory); }

AlignedBytes alignedBytes(int64_t size) {
  if (size < 0 || size > (int64_t(1) << 60))
    return nullptr;
  size_t whole = (size_t(std::max<int64_t>(size, 1)) + memoryAlignment - 1) / memoryAlignment * memoryAlignment;
  return AlignedBytes(static_cast<std::byte *>(std::aligned_alloc(memoryAlignment, whole)));
}

BlockSource::~BlockSource() = default;

BlockSource &hostBlocks() {
  struct Host final : BlockSource {
    void *allocate(int64_t bytes) override { return alignedBytes(bytes).release(); }
    void free(void *memory) override { std::free(memory); }
  };
  static Host host; // has no state
  return host;
}

Block::Block(BlockSource &source, int64_t bytes)
    : source(&source), start(static_cast<std::byte *>(source.allocate(bytes))), size(bytes) {}

Block::Block(Block &&other) noexcept
    : source(other.source), start(std::exchange(other.start, nullptr)), size(other.size) {}

Block &Block::operator=(Block &&other) noexcept {
  std::swap(source, other.source);
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}

Block::~Block() {
  if (start)
    source->free(start);
}

void *Arena::get(int64_t bytes) {
  if (bytes < 0)
    return nullptr;
  if (!block || bytes > block.bytes()) {
    block = Block();
    block = Block(source, bytes);
  }
  return block.data();
}

void *RaggedPool::get(int64_t bytes) {
  if (bytes < 0 || bytes > (int64_t(1) << 60))
    return nullptr;
  int64_t whole = std::max<int64_t>(1, (bytes + int64_t(memoryAlignment) - 1) / int64_t(memoryAlignment)) *
                  int64_t(memoryAlignment);
  if (blocks.empty() || whole > blocks.back().bytes() - used) {
    constexpr int64_t least = int64_t(1) << 16;
    int64_t size = std::max({whole, total / 2, least});
    Block fresh(source, size);
    if (!fresh)
      return nullptr;
    before += used;
    used = 0;
    total += size;
    made += 1;
    blocks.push_back(std::move(fresh));
  }
  void *result = blocks.back().data() + used;
  used += whole;
  most = std::max(most, before + used);
  return result;
}

void RaggedPool::reset(int64_t expected) {
  if (blocks.size() > 1 || expected > total) {
    int64_t wanted = std::max(most, expected);
    blocks.clear();
    // An eighth more than was needed: batches differ a little, and each new maximum would cost two allocations.
    total = wanted + wanted / 8;
    Block merged(source, total);
    if (merged) {
      blocks.push_back(std::move(merged));
      made += 1;
    } else {
      total = 0;
    }
  }
  used = before = 0;
}

} // namespace sparsec
