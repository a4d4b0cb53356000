// The device that the runtime emulates, thread by thread, on the host.
#pragma once
#include "codegen/Common/Target.h"

namespace sparsec::codegen {

std::unique_ptr<Target> makeEmulatedTarget();

} // namespace sparsec::codegen
