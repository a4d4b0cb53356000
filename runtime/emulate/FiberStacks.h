// Stacks for fibers, kept from launch to launch.
#pragma once
#include <cstddef>
#include <vector>

namespace sparsec::emulate {

struct Stack {
  void *top; // stacks grow down
  size_t bytes;
};

class FiberStacks {
public:
  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  Stack get(size_t number);

private:
  std::vector<std::byte *> made;
};

} // namespace sparsec::emulate
