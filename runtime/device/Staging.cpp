#include "device/Staging.h"

namespace sparsec {

Staged<std::byte> Staging::get(int64_t bytes) {
  Staged<std::byte> result{host.array<std::byte>(bytes), twin.array<std::byte>(bytes)};
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
  for (const Copy &copy : pending)
    if (Status status = device.copyToDevice(DeviceStream::compute, copy.at.device, copy.at.host, copy.bytes); !status)
      return status;
  pending.clear();
  return {};
}

void Staging::reset() {
  host.reset();
  twin.reset();
  pending.clear();
}

} // namespace sparsec
