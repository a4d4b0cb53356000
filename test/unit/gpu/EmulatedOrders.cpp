// All orders that the emulator knows.
#include "test/unit/gpu/TestDevice.h"

using namespace sparsec;
using namespace sparsec::codegen::device;

std::vector<LaunchOrder> sparsec::codegen::device::orders() {
  return {{{EmulationOrder::forward, 0}},
          {{EmulationOrder::reversed, 0}},
          {{EmulationOrder::random, 1}},
          {{EmulationOrder::random, 2}}};
}
std::unique_ptr<LaunchPlace> sparsec::codegen::device::placeFor(LaunchOrder order) {
  return std::make_unique<EmulatedPlace>(order);
}
