#include "checkpoint/BlockHash.h"
#include "checkpoint/Manifest.h"
#include <algorithm>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sparsec::checkpoint {

uint64_t hashBytes(const void *data, int64_t bytes) { return XXH64(data, size_t(bytes), 0); }

Result<std::vector<uint64_t>> hashBlocks(const File &file, int64_t bytes, int64_t blockBytes, int64_t firstBlock,
                                         int64_t rank, int64_t ranks) {
  int64_t blocks = blockCount(bytes, blockBytes);
  std::vector<uint64_t> hashes(static_cast<size_t>(blocks), 0);
  std::vector<char> buffer(size_t(std::min(bytes, blockBytes)));
  for (int64_t block = 0; block < blocks; ++block) {
    if ((firstBlock + block) % ranks != rank)
      continue;
    int64_t begin = block * blockBytes, length = std::min(blockBytes, bytes - begin);
    if (Status s = file.readAt(buffer.data(), length, begin); !s)
      return s;
    hashes[size_t(block)] = hashBytes(buffer.data(), length);
  }
  return hashes;
}

} // namespace sparsec::checkpoint
