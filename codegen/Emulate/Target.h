// The device that the runtime emulates, thread by thread, on the host.
#pragma once
#include "codegen/GPU/Target.h"

namespace sparsec::codegen {

std::unique_ptr<Target> makeEmulatedTarget(llvm::ArrayRef<TunedLookup> tuned = {});

} // namespace sparsec::codegen
