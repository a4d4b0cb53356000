// What the host writes for the device in a step: lists of fused launches, bags, inputs. Each piece has two addresses;
// flush() sends what was written since the last one, as one copy where it lies together, which it does from the second
// step on.
#pragma once
#include "device/Device.h"
#include <new>

namespace sparsec {

template <typename T> struct Staged { T *host, *device; };

class Staging {
public:
  explicit Staging(Device &device) : device(device), host(device.hostMemory()), twin(device.memory()) {}

  /// Valid until reset(); the host writes before the next flush(), and not after it. Throws std::bad_alloc.
  template <typename T> Staged<T> array(int64_t count) {
    Staged<std::byte> bytes = get(count * int64_t(sizeof(T)));
    return {reinterpret_cast<T *>(bytes.host), reinterpret_cast<T *>(bytes.device)};
  }
  /// Copies in the compute stream, so that what is asked of it next finds them.
  Status flush();
  /// Forgets everything. The device must have done what it was asked for.
  void reset();
  int64_t reserved() const { return twin.reserved(); }

private:
  Staged<std::byte> get(int64_t bytes);
  struct Copy {
    Staged<std::byte> at;
    int64_t bytes;
  };
  Device &device;
  RaggedPool host, twin; // the same requests, so that blocks begin at the same ones
  std::vector<Copy> pending;
};

} // namespace sparsec
