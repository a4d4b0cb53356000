#include "DeviceWorld.h"

namespace sparsec::test {

Kernels deviceKernels(int64_t dim) { return handKernels(dim); }
const SparsecKernel *const *generalKernels() { return handGeneralKernels(); }

} // namespace sparsec::test
