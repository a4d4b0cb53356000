// What a GPU reaches at its best, measured through the runtime's own device.
#pragma once
#include "test/device/Gpu.h"

namespace sparsec::codegen::device {

/// Prints {"copy_gbs":..,"fp32_tflops":..,"tf32_tflops":..}: a copy in the device's memory (bytes read and written),
/// and large products.
Status printPeaks(Gpu &fp32, const std::string &code);

} // namespace sparsec::codegen::device
