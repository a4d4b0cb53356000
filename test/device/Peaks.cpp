#include "test/device/Peaks.h"
#include <algorithm>
#include <cstdio>
#include <functional>

namespace sparsec::codegen::device {

/// Milliseconds of the fastest of ten, after two to warm up.
static Result<double> fastest(Device &device, const std::function<Status()> &ask) {
  Result<std::unique_ptr<DeviceEvent>> from = device.clock()->makeTimedEvent(), to = device.clock()->makeTimedEvent();
  if (!from || !to)
    return from ? to.status() : from.status();
  double best = 1e30;
  for (int i = 0; i < 12; ++i) {
    Status status = device.record(DeviceStream::compute, **from);
    if (status.ok())
      status = ask();
    if (status.ok())
      status = device.record(DeviceStream::compute, **to);
    if (status.ok())
      status = device.synchronize();
    if (!status)
      return status;
    Result<double> took = device.clock()->milliseconds(**from, **to);
    if (!took)
      return took.status();
    if (i >= 2)
      best = std::min(best, *took);
  }
  return best;
}

/// GB/s, bytes read and written.
static Result<double> copyRate(Device &device) {
  constexpr int64_t bytes = int64_t(1) << 31;
  Block from(device.memory(), bytes), to(device.memory(), bytes);
  if (!from || !to)
    return Status::error("no memory for a copy of 2 GiB");
  Result<double> took =
      fastest(device, [&] { return device.copyToDevice(DeviceStream::compute, to.data(), from.data(), bytes); });
  return took ? Result<double>(2.0 * bytes / *took * 1e-6) : took;
}

/// TFLOP/s of a product of two matrices of 8192 x 8192.
static Result<double> gemmRate(Device &device) {
  constexpr int64_t n = 8192, bytes = n * n * int64_t(sizeof(float));
  Block a(device.memory(), bytes), b(device.memory(), bytes), c(device.memory(), bytes);
  if (!a || !b || !c)
    return Status::error("no memory for a product of matrices");
  std::vector<float> values(n * n);
  std::mt19937 random;
  for (float &value : values) // a GPU is faster with zeros
    value = float(random() % 2000) * 1e-3f - 1;
  for (Block *block : {&a, &b})
    if (Status s = device.copyToDevice(DeviceStream::compute, block->data(), values.data(), bytes); !s)
      return s;
  auto floats = [](Block &block) { return reinterpret_cast<float *>(block.data()); };
  Result<double> took = fastest(
      device, [&] { return device.gemm(DeviceStream::compute, 0, n, n, n, floats(a), floats(b), nullptr, floats(c)); });
  return took ? Result<double>(2.0 * n * n * n / *took * 1e-9) : took;
}

Status printPeaks(Gpu &fp32, const std::string &code) {
  Result<double> copy = copyRate(fp32.device());
  if (!copy)
    return copy.status();
  Result<double> exact = gemmRate(fp32.device());
  if (!exact)
    return exact.status();
  Result<std::unique_ptr<Gpu>> other = Gpu::open(code, cuda::Multiply::tf32);
  if (!other)
    return other.status();
  Result<double> tf32 = gemmRate((*other)->device());
  if (!tf32)
    return tf32.status();
  std::printf("{\"copy_gbs\":%.1f,\"fp32_tflops\":%.2f,\"tf32_tflops\":%.2f}\n", *copy, *exact, *tf32);
  return {};
}

} // namespace sparsec::codegen::device
