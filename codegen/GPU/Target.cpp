#include "codegen/GPU/Target.h"
#include "codegen/GPU/DensePasses.h"
#include "mlir/Pass/PassManager.h"

using namespace sparsec;
using namespace sparsec::codegen;

void DeviceTarget::buildDense(mlir::OpPassManager &pm) const { pm.addPass(createGemmGradientsPass()); }
void DeviceTarget::buildBuffers(mlir::OpPassManager &pm) const { buildDeviceMemory(pm); }
