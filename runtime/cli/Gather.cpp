#include "cli/Gather.h"
#include <numeric>

namespace sparsec::cli {

Result<std::vector<float>> gatherOnFirst(Communicator &ranks, std::span<const float> mine) {
  std::vector<int64_t> bytes(size_t(ranks.size())), send(bytes.size(), 0), receive(bytes.size(), 0);
  int64_t myBytes = int64_t(mine.size_bytes());
  if (Status s = ranks.allGather(&myBytes, bytes.data(), sizeof myBytes); !s)
    return s;
  send[0] = myBytes;
  if (ranks.rank() == 0)
    receive = bytes;
  std::vector<float> all(size_t(std::accumulate(receive.begin(), receive.end(), int64_t(0))) / sizeof(float));
  if (Status s = ranks.allToAllV(mine.data(), send.data(), all.data(), receive.data()); !s)
    return s;
  return all;
}

} // namespace sparsec::cli
