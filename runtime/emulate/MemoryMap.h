// How EmulatedMemory lays out addresses.
#pragma once
#include "emulate/AccessCell.h"
#include "sparsec/Emulate.h"

namespace sparsec::emulate {

constexpr int64_t spaceBytes = int64_t(1) << 40;   // of one device
constexpr int64_t granuleBytes = int64_t(1) << 16; // allocations begin at multiples of it
constexpr int64_t granules = spaceBytes / granuleBytes;
constexpr int64_t poisonedBytes = int64_t(1) << 20; // an allocation of at most so much is filled with NaNs

} // namespace sparsec::emulate
