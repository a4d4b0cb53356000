// What a schedule of a lookup costs on a GPU, to first order, and which one a class gets.
#pragma once
#include "codegen/GPU/kernels/Schedule.h"
#include "dialect/Rec/Cluster.h"

namespace sparsec::codegen::device {

/// Seconds of all of a class's lookups in one step, launches included.
double lookupSeconds(const ExpectedLookups &, const Schedule &, const rec::Cluster &gpu);

/// The cheapest schedule. The usual one by bag stays where others gain little: a twentieth, or, where the step has
/// other classes with rows of this kind, whose launch it would share, what a launch takes.
Schedule cheapestSchedule(const ExpectedLookups &, const rec::Cluster &gpu, bool sharesLaunch);

} // namespace sparsec::codegen::device
