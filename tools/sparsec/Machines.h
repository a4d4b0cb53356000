// Whether the machines that are planned for can run what is made.
#pragma once
#include "codegen/Common/Target.h"
#include "passes/Import/Description/Model.h"

namespace sparsec::driver {

/// Complains about devices that cannot run code of the target; false then.
bool checkMachines(const description::LoadedCluster &, const codegen::Target &, description::Diagnostics &);

} // namespace sparsec::driver
