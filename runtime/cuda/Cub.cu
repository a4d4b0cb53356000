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

__global__ void countRuns(const uint32_t *runs, int64_t n, int64_t *count) { *count = n ? int64_t(runs[n - 1]) + 1 : 0; }

} // namespace

extern "C" int sparsec_cub_sort_pairs(void *workspace, size_t *bytes, const uint64_t *keys, uint64_t *keysOut,
                                      const uint32_t *values, uint32_t *valuesOut, int64_t n, int bits, void *stream) {
  return cub::DeviceRadixSort::SortPairs(workspace, *bytes, keys, keysOut, values, valuesOut, n, 0, bits,
                                         static_cast<cudaStream_t>(stream));
}

extern "C" int sparsec_cub_runs(void *workspace, size_t *bytes, const uint64_t *keys, int64_t n, uint32_t *runs,
                                int64_t *count, void *stream) {
  auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(0), BeginsRun{keys});
  cudaError_t error =
      cub::DeviceScan::InclusiveSum(workspace, *bytes, begins, runs, n, static_cast<cudaStream_t>(stream));
  if (!workspace || error != cudaSuccess)
    return error;
  countRuns<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(runs, n, count);
  return cudaGetLastError();
}
