#include "codegen/Common/Dropout.h"
#include <algorithm>
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace sparsec::codegen;

DropoutRule::DropoutRule(std::string_view stream, uint64_t seed, double rate) {
  uint64_t hash = XXH64(stream.data(), stream.size(), seed);
  key = {uint32_t(hash), uint32_t(hash >> 32)};
  threshold = uint32_t(std::min(std::nearbyint(rate * 4294967296.0), 4294967295.0));
  factor = float(1 / (1 - rate));
}
