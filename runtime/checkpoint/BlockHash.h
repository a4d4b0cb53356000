// Checksums of files, block by block, shared among ranks: block b (counted over all files) is for rank b mod ranks.
#pragma once
#include "checkpoint/File.h"
#include <cstdint>
#include <vector>

namespace sparsec::checkpoint {

/// XXH64 with seed 0.
uint64_t hashBytes(const void *data, int64_t bytes);

/// hash[i] of the file's block i, for those blocks where (firstBlock + i) % ranks == rank; others stay 0.
Result<std::vector<uint64_t>> hashBlocks(const File &, int64_t bytes, int64_t blockBytes, int64_t firstBlock,
                                         int64_t rank, int64_t ranks);

} // namespace sparsec::checkpoint
