// What the host writes for the device in a step: lists of fused launches, bags, inputs. Each piece has two addresses;
// flush() sends what was written since the last one, as one copy where it lies together, which it does once the pools
// have stopped growing.
//
// There are two sets, of which steps take turns: one is written while the device reads the other.
#pragma once
#include "device/Device.h"
#include <new>

namespace sparsec {

template <typename T> struct Staged { T *host, *device; };

class Staging {
public:
  explicit Staging(Device &device) : device(device), sets{Set(device), Set(device)} {}

  /// Valid until the second reset() from now; the host writes before the next flush(), and not after it. Throws
  /// std::bad_alloc.
  template <typename T> Staged<T> array(int64_t count) {
    Staged<std::byte> bytes = get(count * int64_t(sizeof(T)));
    return {reinterpret_cast<T *>(bytes.host), reinterpret_cast<T *>(bytes.device)};
  }
  /// Copies in the copy stream; what the compute stream is asked for next finds them.
  Status flush();
  /// Goes on with the other set. The device must have done what it was asked for while that was in use.
  void reset();
  int64_t reserved() const { return sets[0].twin.reserved() + sets[1].twin.reserved(); }

private:
  struct Set {
    explicit Set(Device &device) : host(device.hostMemory()), twin(device.memory()) {}
    RaggedPool host, twin; // the same requests, so that blocks begin at the same ones
  };
  struct Copy {
    Staged<std::byte> at;
    int64_t bytes;
  };
  Staged<std::byte> get(int64_t bytes);
  Device &device;
  Set sets[2];
  int current = 0;
  std::vector<Copy> pending;
  std::unique_ptr<DeviceEvent> sent;
};

} // namespace sparsec
