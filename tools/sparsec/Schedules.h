// Measured schedules of lookups, from a file to what the target is given.
#pragma once
#include "codegen/Targets.h"
#include "passes/Import/Description/Model.h"

namespace sparsec::driver {

/// The best schedule of each class. Complains about schedules that the compiler has not got, and warns where they were
/// measured on none of the target's architectures.
std::vector<codegen::TunedLookup> bestSchedules(const description::LoadedSchedules &, const codegen::Target &,
                                                description::Diagnostics &);

} // namespace sparsec::driver
