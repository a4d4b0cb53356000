// Where tests of kernels launch them, with memory that the host reads and writes, too.
#pragma once
#include "sparsec/Emulate.h"
#include "sparsec/device.h"
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

namespace sparsec::codegen::device {

/// An argument as a word.
template <typename T> int64_t word(T value) {
  int64_t result = 0;
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::memcpy(&result, &value, sizeof(T));
  return result;
}

/// What runs launches. A launch has done its work when it returns.
class LaunchPlace {
public:
  virtual ~LaunchPlace() = default;
  virtual void *allocate(int64_t bytes) = 0; // until the place goes
  virtual Status launch(const SparsecKernel &, int64_t blocks, const int64_t *arguments) = 0;
};

class EmulatedPlace final : public LaunchPlace {
public:
  explicit EmulatedPlace(EmulationOrder order) { setOrder(order); }
  void setOrder(EmulationOrder order) { emulator.setOrder(order); }
  void *allocate(int64_t bytes) override { return emulator.memory().allocate(bytes); }
  Status launch(const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) override {
    return emulator.launch(kernel, blocks, arguments);
  }

private:
  Emulator emulator;
};

/// In which order the emulator runs the threads of a launch; or a GPU, which has its own.
struct LaunchOrder : EmulationOrder {
  bool gpu = false;
};

/// Each test runs in all of these, and compares them bit for bit with the first, which is `forward`. The program of the
/// tests says which, and what stands behind them.
std::vector<LaunchOrder> orders();
std::unique_ptr<LaunchPlace> placeFor(LaunchOrder);

/// A device whose memory is filled and read by tests.
struct TestDevice {
  std::unique_ptr<LaunchPlace> place;

  explicit TestDevice(LaunchOrder order = {}) : place(placeFor(order)) {}
  template <typename T> T *put(const std::vector<T> &values) {
    T *there = static_cast<T *>(place->allocate(int64_t(values.size() * sizeof(T))));
    if (!values.empty())
      std::memcpy(there, values.data(), values.size() * sizeof(T));
    return there;
  }
  /// Floats that are NaN as long as nobody writes them.
  float *floats(int64_t count) { return put(std::vector<float>(count, NAN)); }
  template <typename... Arguments> Status launch(const SparsecKernel &kernel, int64_t blocks, Arguments... arguments) {
    int64_t words[] = {word(arguments)..., 0};
    if (kernel.arguments != sizeof...(Arguments))
      return Status::error("the kernel takes another number of arguments");
    return place->launch(kernel, blocks, words);
  }
  /// As many blocks as `units` need, and one more: it has nothing to do, and must see that.
  template <typename... Arguments> Status run(const SparsecKernel &kernel, int64_t units, Arguments... arguments) {
    return launch(kernel, (units + kernel.units - 1) / kernel.units + 1, arguments...);
  }
};

template <typename T> std::vector<T> taken(const T *place, int64_t count) {
  return std::vector<T>(place, place + count);
}

} // namespace sparsec::codegen::device
