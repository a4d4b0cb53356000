#include "Cub.h"
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" const unsigned char sparsec_cub_image[], sparsec_cub_image_end[];

namespace sparsec::cuda {

Result<Cub> Cub::open() {
  size_t size = size_t(sparsec_cub_image_end - sparsec_cub_image);
  if (size == 0)
    return Status::error("this executable carries no sort for GPUs: sparsec was built where there is no nvcc; build it "
                         "where the CUDA toolkit is installed");
  int file = memfd_create("libsparsec_cub.so", MFD_CLOEXEC);
  if (file < 0 || write(file, sparsec_cub_image, size) != ssize_t(size))
    return Status::error("no memory for the sort library of GPUs");
  Cub made;
  Result<Library> library = Library::open({fmt::format("/proc/self/fd/{}", file).c_str()}, "sorting on GPUs (CUB)");
  close(file);
  if (!library)
    return library.status();
  made.library = std::move(*library);
  Status status;
  auto get = [&](const char *name, auto *&function) {
    if (status.ok())
      status = made.library.get(name, function);
  };
  get("sparsec_cub_sort_pairs", made.sortPairs);
  get("sparsec_cub_runs", made.runs);
  get("sparsec_relu_bits", made.reluBits);
  get("sparsec_relu_gradient", made.reluGradient);
  if (!status.ok())
    return status;
  return made;
}

} // namespace sparsec::cuda
