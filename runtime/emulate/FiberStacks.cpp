#include "emulate/FiberStacks.h"
#include <new>
#include <sys/mman.h>

using namespace sparsec::emulate;

static constexpr size_t stackBytes = 128 << 10, pageBytes = 4096;

FiberStacks::~FiberStacks() {
  for (std::byte *stack : made)
    munmap(stack, stackBytes);
}

Stack FiberStacks::get(size_t number) {
  while (made.size() <= number) {
    void *place = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(place, pageBytes, PROT_NONE); // an overflow hits it
    made.push_back(static_cast<std::byte *>(place));
  }
  // The tops differ in their place in a page, or all fibers would fight for the same lines of the first cache.
  size_t bytes = stackBytes - number % 32 * 128;
  return {made[number] + bytes, bytes - pageBytes};
}
