#include "codegen/GPU/Target.h"
#include "codegen/GPU/DensePasses.h"

using namespace sparsec;
using namespace sparsec::codegen;

void DeviceTarget::buildBuffers(mlir::OpPassManager &pm) const { buildDeviceMemory(pm); }
