// XXH64, the one hash of the data path: ids of `hash`, out-of-vocabulary ids, shuffle keys, content checks.
#pragma once
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace sparsec::data {

inline uint64_t hash64(std::string_view bytes, uint64_t seed) { return XXH64(bytes.data(), bytes.size(), seed); }

} // namespace sparsec::data
