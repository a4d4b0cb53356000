// What a program for GPUs names as its backend.
#include "CudaDevice.h"
#include "context/Handle.h"
#include "device/DeviceEngine.h"
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace sparsec {

/// Which of the ranks on this machine this one is: a launcher says so; ranks that are threads are all here.
static int localRank(const Context &context) {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PMI_LOCAL_RANK", "MPI_LOCALRANKID"})
    if (const char *text = std::getenv(name)) {
      int number = 0;
      if (std::from_chars(text, text + std::strlen(text), number).ec == std::errc())
        return number;
    }
  return int(context.rank());
}

static Status start(Context &context, const SparsecProgramImage &image) {
  cuda::DeviceOptions options;
  options.rank = int(context.rank());
  options.ranks = int(context.program().mesh.ranks());
  options.multiply = context.program().matmul == "tf32"   ? cuda::Multiply::tf32
                     : context.program().matmul == "bf16" ? cuda::Multiply::bf16
                                                          : cuda::Multiply::fp32;
  options.device = options.ranks == 1 ? 0 : localRank(context);
  Result<std::unique_ptr<cuda::CudaDevice>> opened = cuda::CudaDevice::open(image, options);
  Result<std::unique_ptr<Device>> device = opened.status();
  if (opened)
    device = std::unique_ptr<Device>(std::move(*opened));
  auto engine = DeviceEngine::create(context, std::move(device), image.kernels); // a message: all ranks come here
  if (!engine)
    return engine.status();
  context.setEngine(std::move(*engine));
  return {};
}

} // namespace sparsec

extern "C" int32_t sparsec_backend_cuda(SparsecContext *handle, const SparsecProgramImage *image) {
  return sparsec::guarded(handle, [&](sparsec::Context &context) { return sparsec::start(context, *image); });
}
