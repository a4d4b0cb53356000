// Collectives run beside kernels: the communication stream waits for what they read, and what reads their results waits
// for them.
#include "device/DeviceEngine.h"

namespace sparsec {

Result<DeviceEvent *> DeviceEngine::event() {
  if (usedEvents == events.size()) {
    auto made = device->makeEvent();
    if (!made)
      return made.status();
    events.push_back(std::move(*made));
  }
  return events[usedEvents++].get();
}

Result<Pending> DeviceEngine::beside(const std::function<Status()> &ask) {
  struct Arrival final : Pending::Operation {
    Arrival(Device &device, DeviceEvent &done) : device(device), done(done) {}
    Status wait() override { return device.wait(DeviceStream::compute, done); }
    Device &device;
    DeviceEvent &done;
  };
  auto ready = event(), done = event();
  if (!ready || !done)
    return ready ? done.status() : ready.status();
  Status status = device->record(DeviceStream::compute, **ready);
  if (status)
    status = device->wait(DeviceStream::communication, **ready);
  if (status)
    status = ask();
  if (status)
    status = device->record(DeviceStream::communication, **done);
  if (!status)
    return status;
  return Pending(std::make_unique<Arrival>(*device, **done));
}

Result<Pending> DeviceEngine::allReduceStart(int32_t mask, float *data, int64_t n) {
  return beside([&] { return device->allReduceSum(DeviceStream::communication, axes.get(mask), data, n); });
}

Status DeviceEngine::allReduce(int32_t mask, float *data, int64_t n) {
  auto started = allReduceStart(mask, data, n);
  return started ? started->wait() : started.status();
}

Result<Pending> DeviceEngine::exchangeStart(int32_t mask, const float *send, const int64_t *sendCounts, float *receive,
                                            const int64_t *receiveCounts) {
  Communicator &ranks = axes.get(mask);
  int64_t *sendBytes = context.scratch<int64_t>(ranks.size()), *receiveBytes = context.scratch<int64_t>(ranks.size());
  for (int r = 0; r < ranks.size(); ++r) {
    sendBytes[r] = sendCounts[r] * 4;
    receiveBytes[r] = receiveCounts[r] * 4;
  }
  return beside(
      [&] { return device->allToAllV(DeviceStream::communication, ranks, send, sendBytes, receive, receiveBytes); });
}

} // namespace sparsec
