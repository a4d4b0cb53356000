// The first GPU, for a program without steps.
#include "CudaDevice.h"
#include "device/OpenDevice.h"

extern "C" void sparsec_open_cuda(const SparsecProgramImage *image, sparsec::OpenedDevice *opened) {
  auto device = sparsec::cuda::CudaDevice::open(*image, {});
  opened->status = device.status();
  if (!device)
    return;
  opened->architecture = "sm_" + std::to_string((*device)->architecture());
  opened->device = std::move(*device);
}
