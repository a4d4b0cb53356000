// CUB's radix sort and scan behind a C interface.
#include "CubCalls.h"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

/// 1 where a run begins but for the first, so that the sum up to a position is the number of its run.
struct BeginsRun {
  const uint64_t *keys;
  __host__ __device__ uint32_t operator()(int64_t k) const { return k > 0 && keys[k] != keys[k - 1]; }
};

} // namespace

extern "C" int sparsec_cub_sort_pairs(void *workspace, size_t *bytes, const uint64_t *keys, uint64_t *sortedKeys,
                                      const uint32_t *values, uint32_t *sortedValues, int64_t n, int bits,
                                      void *stream) {
  return cub::DeviceRadixSort::SortPairs(workspace, *bytes, keys, sortedKeys, values, sortedValues, n, 0, bits,
                                         static_cast<cudaStream_t>(stream));
}

extern "C" int sparsec_cub_runs(void *workspace, size_t *bytes, const uint64_t *keys, int64_t n, uint32_t *run,
                                void *stream) {
  auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(0), BeginsRun{keys});
  return cub::DeviceScan::InclusiveSum(workspace, *bytes, begins, run, n, static_cast<cudaStream_t>(stream));
}
