#include "device/Staging.h"

namespace sparsec {

Staged<std::byte> Staging::get(int64_t bytes) {
  Set &set = sets[current];
  Staged<std::byte> result{set.host.array<std::byte>(bytes), set.twin.array<std::byte>(bytes)};
  if (!result.host || !result.device)
    throw std::bad_alloc();
  if (!pending.empty()) {
    Copy &last = pending.back();
    int64_t apart = result.host - last.at.host;
    if (apart == result.device - last.at.device && apart >= last.bytes &&
        apart < last.bytes + int64_t(memoryAlignment)) { // right behind it in both
      last.bytes = apart + bytes;
      return result;
    }
  }
  pending.push_back({result, bytes});
  return result;
}

Status Staging::flush() {
  if (pending.empty())
    return {};
  if (!sent) {
    auto made = device.makeEvent();
    if (!made)
      return made.status();
    sent = std::move(*made);
  }
  for (const Copy &copy : pending)
    if (Status status = device.copyToDevice(DeviceStream::copy, copy.at.device, copy.at.host, copy.bytes); !status)
      return status;
  pending.clear();
  if (Status status = device.record(DeviceStream::copy, *sent); !status)
    return status;
  return device.wait(DeviceStream::compute, *sent);
}

/// Both sets are made as large as one of them had to be, so that a batch is new to them once.
void Staging::reset() {
  const Set &before = sets[current];
  current = 1 - current;
  sets[current].host.reset(before.host.highWater());
  sets[current].twin.reset(before.twin.highWater());
  pending.clear();
}

} // namespace sparsec
