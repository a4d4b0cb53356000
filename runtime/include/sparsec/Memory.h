// The two kinds of memory an entry point works in. Both belong to one rank and are used by its own thread only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sparsec {

constexpr size_t memoryAlignment = 64;

struct AlignedDelete {
  void operator()(std::byte *) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
/// Null if there is no memory. Not initialised.
AlignedBytes alignedBytes(int64_t size);

/// Where pools get their blocks from: memory of the host, or of a device.
class BlockSource {
public:
  virtual ~BlockSource();
  virtual void *allocate(int64_t bytes) = 0; // aligned to 64 bytes; null: no memory
  virtual void free(void *) = 0;
};
BlockSource &hostBlocks();

/// One block of a source, or none.
class Block {
public:
  Block() = default;
  Block(BlockSource &, int64_t bytes); // not there: no memory
  Block(Block &&) noexcept;
  Block &operator=(Block &&) noexcept;
  ~Block();
  std::byte *data() const { return start; }
  int64_t bytes() const { return start ? size : 0; }
  explicit operator bool() const { return start; }

private:
  BlockSource *source = nullptr;
  std::byte *start = nullptr;
  int64_t size = 0;
};

/// Planned buffers: one block, as large as the largest entry point asks for, kept.
class Arena {
public:
  explicit Arena(BlockSource &source = hostBlocks()) : source(source) {}
  void *get(int64_t bytes); // null: no memory
  int64_t bytes() const { return block.bytes(); }

private:
  BlockSource &source;
  Block block;
};

/// Run-time sized buffers: a bump allocator that forgets everything at once. What overflows goes to extra blocks; the
/// next reset replaces all of them by a single one, so that once the largest batch has been seen nothing is allocated
/// any more.
class RaggedPool {
public:
  explicit RaggedPool(BlockSource &source = hostBlocks()) : source(source) {}
  void *get(int64_t bytes); // aligned to 64 bytes, never null but when there is no memory
  template <typename T> T *array(int64_t count) { return static_cast<T *>(get(count * int64_t(sizeof(T)))); }
  /// `expected`: so much will be needed before the next one.
  void reset(int64_t expected = 0);
  int64_t highWater() const { return most; } // largest use between two resets
  int64_t reserved() const { return total; } // bytes held now
  int64_t allocations() const { return made; }

private:
  BlockSource &source;
  std::vector<Block> blocks; // the last one is in use
  int64_t used = 0;          // of the last block
  int64_t before = 0;        // used in the blocks before it
  int64_t most = 0, total = 0, made = 0;
};

} // namespace sparsec
