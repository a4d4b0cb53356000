// The kernels that LookupTest, SegmentTest, RowsTest, PoolingTest and InteractionTest launch. Here they are compiled
// when a suite begins; test/device has them compiled beforehand, for GPUs as well.
#pragma once
#include "sparsec/abi.h"
#include <string>

namespace sparsec::codegen::device {

enum class KernelSuite { lookups, segments, rows, pooling, interactions };
inline constexpr KernelSuite kernelSuites[] = {KernelSuite::lookups, KernelSuite::segments, KernelSuite::rows,
                                               KernelSuite::pooling, KernelSuite::interactions};

/// Names are the kernels' own; steps and sweeps are named after rules of OptimizerFormulas.h: `step_adam_d128`. Throws
/// std::out_of_range where there is none.
const SparsecKernel &testedKernel(KernelSuite, const std::string &name);

} // namespace sparsec::codegen::device
