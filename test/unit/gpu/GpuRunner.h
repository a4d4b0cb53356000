// Kernels of a device in this process: built, made into host functions, run by the emulator.
#pragma once
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sparsec/Emulate.h"
#include "sparsec/device.h"
#include "test/unit/kernels/Jit.h"
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

namespace sparsec::codegen::device {

class GpuRunner {
public:
  GpuRunner();
  mlir::MLIRContext &context() { return mlirContext; }
  mlir::ModuleOp module() { return *owned; }
  /// Ask it for kernels, or build some in the module, then compile().
  GpuKernels &kernels() { return made; }
  void compile();
  /// A record, after compile().
  const SparsecKernel &kernel(const std::string &name);

private:
  mlir::MLIRContext mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  GpuKernels made;
  std::unique_ptr<Jit> jit;
};

/// An argument as a word.
template <typename T> int64_t word(T value) {
  int64_t result = 0;
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::memcpy(&result, &value, sizeof(T));
  return result;
}

/// An emulated device whose memory is filled and read by tests.
struct TestDevice {
  Emulator emulator;

  template <typename T> T *put(const std::vector<T> &values) {
    T *place = static_cast<T *>(emulator.memory().allocate(int64_t(values.size() * sizeof(T))));
    if (!values.empty())
      std::memcpy(place, values.data(), values.size() * sizeof(T));
    return place;
  }
  /// Floats that are NaN as long as nobody writes them.
  float *floats(int64_t count) { return put(std::vector<float>(count, NAN)); }
  template <typename... Arguments> Status launch(const SparsecKernel &kernel, int64_t blocks, Arguments... arguments) {
    int64_t words[] = {word(arguments)..., 0};
    if (kernel.arguments != sizeof...(Arguments))
      return Status::error("the kernel takes another number of arguments");
    return emulator.launch(kernel, blocks, words);
  }
  /// As many blocks as `units` need, and one more: it has nothing to do, and must see that.
  template <typename... Arguments> Status run(const SparsecKernel &kernel, int64_t units, Arguments... arguments) {
    return launch(kernel, (units + kernel.units - 1) / kernel.units + 1, arguments...);
  }
};

template <typename T> std::vector<T> taken(const T *place, int64_t count) {
  return std::vector<T>(place, place + count);
}

/// All orders that the emulator knows.
inline std::vector<EmulationOrder> orders() {
  return {{EmulationOrder::forward, 0},
          {EmulationOrder::reversed, 0},
          {EmulationOrder::random, 1},
          {EmulationOrder::random, 2}};
}

} // namespace sparsec::codegen::device
