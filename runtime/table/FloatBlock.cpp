#include "sparsec/Tables.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

namespace sparsec {

namespace {
constexpr int64_t largeBlock = int64_t(1) << 21; // from one huge page on, map
} // namespace

Result<FloatBlock> FloatBlock::create(int64_t floats) {
  FloatBlock block;
  if (floats < 0 || floats > (int64_t(1) << 58))
    return Status::error(fmt::format("cannot hold {} floats", floats));
  block.size = (floats * 4 + 63) / 64 * 64;
  block.count = floats;
  if (block.size == 0)
    return block;
  void *memory = nullptr;
  if (block.size >= largeBlock) {
    memory =
        mmap(nullptr, size_t(block.size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      memory = nullptr;
    else
      madvise(memory, size_t(block.size), MADV_HUGEPAGE); // advice; refused is fine
    block.mapped = memory != nullptr;
  } else {
    memory = std::aligned_alloc(64, size_t(block.size));
    if (memory)
      std::memset(memory, 0, size_t(block.size));
  }
  if (!memory)
    return Status::error(fmt::format("no memory for {} bytes", std::exchange(block.size, 0)));
  block.start = static_cast<float *>(memory);
  return block;
}

FloatBlock::FloatBlock(FloatBlock &&other) noexcept
    : start(std::exchange(other.start, nullptr)), size(std::exchange(other.size, 0)),
      count(std::exchange(other.count, 0)), mapped(std::exchange(other.mapped, false)) {}

FloatBlock &FloatBlock::operator=(FloatBlock &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  std::swap(count, other.count);
  std::swap(mapped, other.mapped);
  return *this;
}

FloatBlock::~FloatBlock() {
  if (mapped)
    munmap(start, size_t(size));
  else
    std::free(start);
}

} // namespace sparsec
