#include "tools/sparsec/Machines.h"
#include "llvm/ADT/StringExtras.h"

using namespace sparsec;
using namespace sparsec::driver;

bool driver::checkMachines(const description::LoadedCluster &machines, const codegen::Target &target,
                           description::Diagnostics &diagnostics) {
  if (!target.needsGPUs())
    return true;
  const Device &device = machines.cluster.device();
  const description::Node &block = machines.places->child("device");
  if (device.target() != Device::CUDA)
    diagnostics
        .error(block.value("target"), "`--target=" + target.name().str() +
                                          "` makes code for GPUs, but the devices of `" + machines.cluster.name() +
                                          "` are processors")
        .note("name a cluster of GPUs, or compile for another target");
  else if (device.has_architecture() && !target.runsOn(device.architecture()))
    diagnostics
        .error(block.value("architecture"), "the program is for " + llvm::join(target.architectures(), ", ") +
                                                ", which a device of `" + device.architecture() + "` does not run")
        .note("add --arch=" + device.architecture());
  return !diagnostics.hasErrors();
}
