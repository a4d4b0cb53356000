#include "World.h"

namespace sparsec::test {

void equip(World &world) {
  world.kernels = hostKernels;
  world.start = world.settle = [](Context &) { return Status(); };
}

} // namespace sparsec::test
