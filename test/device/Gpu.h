// The GPU under test.
#pragma once
#include "cuda/CudaDevice.h"
#include "test/unit/gpu/TestDevice.h"

namespace sparsec::codegen::device {

class Gpu {
public:
  /// `code`: a file with machine code of the kernels, whose name ends with its architecture: kernels.90.
  static Result<std::unique_ptr<Gpu>> open(const std::string &code, cuda::Multiply);

  Device &device() { return *opened; }
  /// Memory of the host that the GPU reaches at the same addresses, so that tests fill and read it as they do the
  /// emulator's. One place at a time is filled; what goes gives its memory back to the next.
  std::unique_ptr<LaunchPlace> place();

private:
  std::string code;
  std::unique_ptr<cuda::CudaDevice> opened;
  std::unique_ptr<RaggedPool> pool;
  int places = 0;
  friend class GpuPlace;
};

} // namespace sparsec::codegen::device
