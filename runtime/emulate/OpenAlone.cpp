// The emulated device of a program without steps.
#include "device/OpenDevice.h"
#include "emulate/EmulatedDevice.h"
#include <cstdlib>

namespace {
struct Products {
  sparsec::ThreadPool pool{1};
  sparsec::Gemm gemm{pool};
};
} // namespace

extern "C" void sparsec_open_emulated(const SparsecProgramImage *, sparsec::OpenedDevice *opened) {
  auto order = sparsec::emulationOrder(std::getenv("SPARSEC_EMULATE_ORDER"), std::getenv("SPARSEC_EMULATE_SEED"));
  opened->status = order.status();
  if (!order)
    return;
  auto products = std::make_shared<Products>();
  opened->device = std::make_unique<sparsec::EmulatedDevice>(products->gemm, *order);
  opened->keeps = products;
  opened->architecture = "emulated";
}
