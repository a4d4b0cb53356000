// What a program for the emulated device names as its backend.
#include "context/Handle.h"
#include "device/DeviceEngine.h"
#include "emulate/EmulatedDevice.h"
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace sparsec {

Result<EmulationOrder> emulationOrder(const char *order, const char *seed) {
  EmulationOrder result;
  std::string_view kind = order ? order : "forward", number = seed ? seed : "0";
  if (kind == "reversed")
    result.kind = EmulationOrder::reversed;
  else if (kind == "random")
    result.kind = EmulationOrder::random;
  else if (kind != "forward")
    return Status::error(
        fmt::format("SPARSEC_EMULATE_ORDER: expected `forward`, `reversed` or `random`, but got `{}`", kind));
  auto [end, error] = std::from_chars(number.begin(), number.end(), result.seed);
  if (error != std::errc() || end != number.end())
    return Status::error(fmt::format("SPARSEC_EMULATE_SEED: expected a number, but got `{}`", number));
  return result;
}

static Status start(Context &context, const SparsecProgramImage &image) {
  Result<EmulationOrder> order =
      emulationOrder(std::getenv("SPARSEC_EMULATE_ORDER"), std::getenv("SPARSEC_EMULATE_SEED"));
  Result<std::unique_ptr<Device>> device = order.status();
  if (order)
    device = std::unique_ptr<Device>(std::make_unique<EmulatedDevice>(context.gemm(), *order));
  auto engine = DeviceEngine::create(context, std::move(device), image.kernels);
  if (!engine)
    return engine.status();
  context.setEngine(std::move(*engine));
  return {};
}

} // namespace sparsec

extern "C" int32_t sparsec_backend_emulated(SparsecContext *handle, const SparsecProgramImage *image) {
  return sparsec::guarded(handle, [&](sparsec::Context &context) { return sparsec::start(context, *image); });
}
