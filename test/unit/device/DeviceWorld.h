// The small models of context/ on an emulated device.
#pragma once
#include "../context/World.h"
#include "sparsec/Emulate.h"

namespace sparsec::test {

const SparsecKernel *const *generalKernels();
/// Puts the steps of a context on an emulated device.
Status startDevice(Context &, EmulationOrder);
/// The device of this thread's rank has done what it was asked for.
Status settleDevice(Context &);

} // namespace sparsec::test
