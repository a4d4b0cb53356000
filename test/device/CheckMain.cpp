// device-check: tests of kernels on a GPU. Each launch runs on the emulator and on the GPU; tests compare both with
// double precision and with each other, bit for bit.
//
//   device-check --device=cuda --code=FILE [--gtest_...]     FILE: machine code of the kernels (device-kernels --image)
//   device-check --device=emulated [--gtest_...]             two orders of the emulator
//   device-check --peaks --code=FILE                         what this GPU reaches, as JSON
#include "test/device/CheckedKernels.h"
#include "test/device/Gpu.h"
#include "test/device/Peaks.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string_view>

using namespace sparsec;
using namespace sparsec::codegen::device;

static Gpu *gpu; // null: all is emulated

const SparsecKernel &sparsec::codegen::device::testedKernel(KernelSuite suite, const std::string &name) {
  static const auto known = [] {
    std::map<std::pair<KernelSuite, std::string>, const SparsecKernel *> known;
    for (const CheckedKernel &checked : checkedKernels())
      known[{checked.suite, checked.name}] = checked.kernel;
    return known;
  }();
  return *known.at({suite, name});
}

std::vector<LaunchOrder> sparsec::codegen::device::orders() {
  LaunchOrder forward, other{{EmulationOrder::random, 1}};
  if (gpu)
    other = {{EmulationOrder::reversed, 0}, /*gpu=*/true};
  return {forward, other};
}
std::unique_ptr<LaunchPlace> sparsec::codegen::device::placeFor(LaunchOrder order) {
  return order.gpu ? gpu->place() : std::make_unique<EmulatedPlace>(order);
}

static int complain(const std::string &what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  return 1;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string_view device, code;
  bool peaks = false;
  for (int i = 1; i < argc; ++i)
    if (std::string_view word = argv[i]; word.starts_with("--device="))
      device = word.substr(9);
    else if (word.starts_with("--code="))
      code = word.substr(7);
    else if (word == "--peaks")
      peaks = true;
    else
      return complain("unknown argument `" + std::string(word) + "`");
  if (device == "emulated" && !peaks)
    return RUN_ALL_TESTS();
  if (device != "cuda" && !peaks)
    return complain("expected `--device=cuda` or `--device=emulated`");
  Result<std::unique_ptr<Gpu>> opened = Gpu::open(std::string(code), cuda::Multiply::fp32);
  if (!opened)
    return complain(opened.status().message());
  if (peaks) {
    Status status = printPeaks(**opened, std::string(code));
    return status ? 0 : complain(status.message());
  }
  gpu = opened->get();
  return RUN_ALL_TESTS();
}
