// The classes of Kernels.h.
#include "DeviceWorld.h"
#include "Kernels.h"

namespace sparsec::test {

namespace {

constexpr int chunk = 4; // bags and segments of tests are split, and some are not

SparsecKernel kernelOf(const char *name, int32_t arguments, SparsecEmulatedKernel work,
                       const SparsecKernel *then = nullptr) {
  return {name, arguments, 32, 0, 0, 32, then ? chunk : 0, then, work};
}

/// A class: a lookup by bag for some dims, a split one for others.
template <int D> Kernels handKernelsOf() {
  using namespace device;
  static const SparsecKernel byBag = kernelOf("lookup", 2, device::lookup<D>),
                             lookupEnd = kernelOf("lookup_then", 3, lookupThen<D, chunk>),
                             split = kernelOf("lookup_split", 3, lookupChunk<D, chunk>, &lookupEnd),
                             add = kernelOf("combine", 2, device::combine<D>),
                             sumEnd = kernelOf("sum_then", 5, sumSegments<D, chunk>),
                             sum = kernelOf("sum", 2, segmentPieces<D, chunk>, &sumEnd),
                             sgdEnd = kernelOf("sgd_then", 5, device::sgd<D, chunk>),
                             sgd = kernelOf("sgd", 2, segmentPieces<D, chunk>, &sgdEnd),
                             sweepEnd = kernelOf("sweep_then", 5, device::sweep<D, chunk>),
                             sweep = kernelOf("sweep", 2, segmentPieces<D, chunk>, &sweepEnd),
                             adagradEnd = kernelOf("adagrad_then", 5, device::adagrad<D, chunk>),
                             adagrad = kernelOf("adagrad", 2, segmentPieces<D, chunk>, &adagradEnd);
  Kernels kernels;
  kernels.lookup.device = D % 2 == 0 ? &split : &byBag;
  kernels.combine.device = &add;
  kernels.sum.device = &sum;
  kernels.sgd.device = &sgd;
  kernels.sweep.device = &sweep;
  kernels.adagrad.device = &adagrad;
  return kernels;
}

} // namespace

Kernels handKernels(int64_t dim) {
  switch (dim) {
  case 1:
    return handKernelsOf<1>();
  case 2:
    return handKernelsOf<2>();
  case 3:
    return handKernelsOf<3>();
  case 8:
    return handKernelsOf<8>();
  case 16:
    return handKernelsOf<16>();
  case 128:
    return handKernelsOf<128>();
  }
  return {};
}

const SparsecKernel *const *handGeneralKernels() {
  static const SparsecKernel copy = kernelOf("copy_rows", 2, device::copyRows),
                             keys = kernelOf("row_keys", 7, device::rowKeys);
  static const SparsecKernel *const all[SPARSEC_KERNELS] = {&copy, &keys};
  return all;
}

} // namespace sparsec::test
