// Opening a device without a context: what programs that have no steps start with. Each backend has a function for it,
// which the program names so that the linker finds its library.
#pragma once
#include "device/Device.h"
#include <string>

namespace sparsec {

struct OpenedDevice {
  std::shared_ptr<void> keeps; // what the device needs as long as it is there
  std::unique_ptr<Device> device;
  std::string architecture; // `sm_90`, or `emulated`
  Status status;            // why there is none
};
using OpenDevice = void (*)(const SparsecProgramImage *, OpenedDevice *);

} // namespace sparsec

extern "C" void sparsec_open_emulated(const SparsecProgramImage *, sparsec::OpenedDevice *);
extern "C" void sparsec_open_cuda(const SparsecProgramImage *, sparsec::OpenedDevice *);
