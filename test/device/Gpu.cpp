#include "test/device/Gpu.h"
#include <charconv>
#include <fstream>
#include <iterator>

namespace sparsec::codegen::device {

Result<std::unique_ptr<Gpu>> Gpu::open(const std::string &path, cuda::Multiply multiply) {
  auto gpu = std::make_unique<Gpu>();
  std::ifstream file(path, std::ios::binary);
  gpu->code.assign(std::istreambuf_iterator<char>(file), {});
  int32_t architecture = 0;
  size_t dot = path.rfind('.');
  if (!file || dot == std::string::npos ||
      std::from_chars(path.data() + dot + 1, path.data() + path.size(), architecture).ec != std::errc())
    return Status::error("`" + path + "`: expected a file of machine code, such as kernels.90");
  SparsecImage image{architecture, 0, gpu->code.data(), int64_t(gpu->code.size())};
  SparsecProgramImage program{};
  program.images = &image;
  program.image_count = 1;
  cuda::DeviceOptions options;
  options.multiply = multiply;
  Result<std::unique_ptr<cuda::CudaDevice>> opened = cuda::CudaDevice::open(program, options);
  if (!opened)
    return opened.status();
  gpu->opened = std::move(*opened);
  gpu->pool = std::make_unique<RaggedPool>(gpu->opened->hostMemory());
  return gpu;
}

/// Places share a pool, which forgets all when none is left.
class GpuPlace final : public LaunchPlace {
public:
  explicit GpuPlace(Gpu &gpu) : gpu(gpu) {
    if (gpu.places++ == 0)
      gpu.pool->reset();
  }
  ~GpuPlace() override { --gpu.places; }
  void *allocate(int64_t bytes) override {
    void *memory = gpu.pool->get((bytes + 255) / 256 * 256);
    if (!memory)
      throw std::bad_alloc();
    return memory;
  }
  Status launch(const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) override {
    Status status = gpu.device().launch(DeviceStream::compute, kernel, blocks, arguments);
    return status ? gpu.device().synchronize() : status;
  }

private:
  Gpu &gpu;
};

std::unique_ptr<LaunchPlace> Gpu::place() { return std::make_unique<GpuPlace>(*this); }

} // namespace sparsec::codegen::device
