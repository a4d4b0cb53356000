// Opening a GPU: its libraries, the code for its architecture, its streams; and what a program for GPUs starts with.
#include "CudaDevice.h"
#include <fmt/format.h>

namespace sparsec::cuda {

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(const SparsecProgramImage &image, const DeviceOptions &options) {
  Result<Runtime> runtime = Runtime::open();
  if (!runtime)
    return runtime.status();
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(*runtime), options));
  if (Status status = device->start(image); !status)
    return status;
  return device;
}

Status CudaDevice::start(const SparsecProgramImage &image) {
  int devices = 0;
  if (Status status = cuda.check(cuda.getDeviceCount(&devices), "counting GPUs"); !status)
    return status;
  if (options.device >= devices)
    return Status::error(
        fmt::format("rank {} is number {} on this machine, counted from 0, which has {} GPU{}: expected "
                    "one GPU for each rank",
                    options.rank, options.device, devices, devices == 1 ? "" : "s"));
  if (Status status = cuda.check(cuda.setDevice(options.device), (where() + "taking its GPU").c_str()); !status)
    return status;
  if (Status status = loadCode(image); !status)
    return status;
  for (Stream &made : streams)
    if (Status status = cuda.check(cuda.streamCreateWithFlags(&made, streamNonBlocking), "making a stream"); !status)
      return status;
  Result<Cub> compiled = Cub::open();
  if (!compiled)
    return compiled.status();
  cub = std::move(*compiled);
  Result<std::unique_ptr<Blas>> products = Blas::open(cuda, cub, options.multiply);
  if (!products)
    return products.status();
  blas = std::move(*products);
  if (options.ranks == 1)
    return {};
  Result<std::unique_ptr<Collectives>> ranks = Collectives::open();
  if (!ranks)
    return ranks.status();
  collectives = std::move(*ranks);
  return {};
}

/// The best of those that the device runs: machine code before PTX, the newest.
static const SparsecImage *imageFor(const SparsecProgramImage &program, int architecture) {
  const SparsecImage *best = nullptr;
  for (int64_t i = 0; i < program.image_count; ++i) {
    const SparsecImage &image = program.images[i];
    bool better = !best || (best->ptx && !image.ptx) || (best->ptx == image.ptx && image.arch > best->arch);
    if (sparsec_image_runs(image.arch, image.ptx, architecture) && better)
      best = &image;
  }
  return best;
}

Status CudaDevice::loadCode(const SparsecProgramImage &program) {
  int major = 0, minor = 0;
  cuda.deviceGetAttribute(&major, attributeMajor, options.device);
  cuda.deviceGetAttribute(&minor, attributeMinor, options.device);
  int architecture = number = major * 10 + minor;
  const SparsecImage *image = imageFor(program, architecture);
  if (!image) {
    std::string has;
    for (int64_t i = 0; i < program.image_count; ++i)
      has += fmt::format("{}sm_{}{}", i ? ", " : "", program.images[i].arch, program.images[i].ptx ? " (PTX)" : "");
    return Status::error(
        fmt::format("{}this GPU is sm_{}, and the program has code for {}; compile it with --arch=sm_{}", where(),
                    architecture, has.empty() ? "none" : has, architecture));
  }
  return cuda.check(cuda.libraryLoadData(&code, image->bytes, nullptr, nullptr, 0, nullptr, nullptr, 0),
                    fmt::format("{}loading the code for sm_{}", where(), image->arch).c_str());
}

CudaDevice::~CudaDevice() {
  if (!failed.ok() && collectives)
    collectives->abort();
  collectives.reset();
  blas.reset();
  for (Stream made : streams)
    if (made)
      cuda.streamDestroy(made);
  if (code)
    cuda.libraryUnload(code);
}

} // namespace sparsec::cuda
