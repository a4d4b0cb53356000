// Times of a device's work.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <memory>

namespace sparsec {

class DeviceEvent;

class DeviceClock {
public:
  virtual ~DeviceClock() = default;
  /// An event that knows when it happened.
  virtual Result<std::unique_ptr<DeviceEvent>> makeTimedEvent() = 0;
  /// Between two of these, which a synchronize() has seen happen.
  virtual Result<double> milliseconds(DeviceEvent &from, DeviceEvent &to) = 0;
  /// Bytes whose copy takes the device longer than the host takes to ask for a step.
  virtual int64_t headStart() const = 0;
};

} // namespace sparsec
