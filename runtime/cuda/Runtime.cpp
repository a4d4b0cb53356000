#include "Runtime.h"
#include <fmt/format.h>

namespace sparsec::cuda {

Result<Runtime> Runtime::open() {
  // Asked for by itself: that there is no driver is what a user must know first, whatever else is missing.
  if (Result<Library> driver = Library::open({"libcuda.so.1"}, "the CUDA driver"); !driver)
    return Status::error("no CUDA driver: this program runs on NVIDIA GPUs, and `libcuda.so.1` is not on this machine");
  Runtime runtime;
  Result<Library> library = Library::open({"libcudart.so.13", "libcudart.so.12"}, "the CUDA runtime");
  if (!library)
    return library.status();
  runtime.library = std::move(*library);
  if (Status status = runtime.load(); !status)
    return status;
  if (Status status = runtime.findDevice(); !status)
    return status;
  return runtime;
}

Status Runtime::load() {
  Status status;
  auto get = [&](const char *name, auto *&function) {
    if (status.ok())
      status = library.get(name, function);
  };
  get("cudaDriverGetVersion", driverGetVersion);
  get("cudaGetDeviceCount", getDeviceCount);
  get("cudaSetDevice", setDevice);
  get("cudaDeviceGetAttribute", deviceGetAttribute);
  get("cudaMemGetInfo", memGetInfo);
  get("cudaGetErrorString", getErrorString);
  get("cudaGetLastError", getLastError);
  get("cudaMalloc", malloc);
  get("cudaFree", free);
  get("cudaMallocHost", mallocHost);
  get("cudaFreeHost", freeHost);
  get("cudaMemcpyAsync", memcpyAsync);
  get("cudaMemsetAsync", memsetAsync);
  get("cudaStreamCreateWithFlags", streamCreateWithFlags);
  get("cudaStreamDestroy", streamDestroy);
  get("cudaStreamSynchronize", streamSynchronize);
  get("cudaStreamQuery", streamQuery);
  get("cudaStreamWaitEvent", streamWaitEvent);
  get("cudaEventCreateWithFlags", eventCreateWithFlags);
  get("cudaEventQuery", eventQuery);
  get("cudaEventRecord", eventRecord);
  get("cudaEventElapsedTime", eventElapsedTime);
  get("cudaEventDestroy", eventDestroy);
  get("cudaLibraryLoadData", libraryLoadData);
  get("cudaLibraryUnload", libraryUnload);
  get("cudaLibraryGetKernel", libraryGetKernel);
  get("cudaLaunchKernel", launchKernel);
  get("cudaStreamBeginCapture", streamBeginCapture);
  get("cudaStreamEndCapture", streamEndCapture);
  get("cudaGraphInstantiate", graphInstantiate);
  get("cudaGraphLaunch", graphLaunch);
  get("cudaGraphDestroy", graphDestroy);
  get("cudaGraphExecDestroy", graphExecDestroy);
  return status;
}

Status Runtime::check(Error code, const char *doing) const {
  return code == success ? Status()
                         : Status::error(fmt::format("{}: {} (CUDA error {})", doing, getErrorString(code), code));
}

Status Runtime::findDevice() const {
  int driver = 0, devices = 0;
  if (driverGetVersion(&driver) != success || driver == 0)
    return Status::error("no CUDA driver: this program runs on NVIDIA GPUs, and the driver does not answer");
  Error code = getDeviceCount(&devices);
  if (code == errorInsufficientDriver)
    return Status::error(
        fmt::format("the CUDA driver (version {}.{}) is older than the CUDA runtime; update the driver", driver / 1000,
                    driver % 1000 / 10));
  if (code == errorNoDevice || (code == success && devices == 0))
    return Status::error("no GPU: the CUDA driver finds no device; is CUDA_VISIBLE_DEVICES empty?");
  return check(code, "looking for GPUs");
}

} // namespace sparsec::cuda
