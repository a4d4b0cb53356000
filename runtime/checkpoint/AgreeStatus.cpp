#include "checkpoint/AgreeStatus.h"
#include <fmt/format.h>

namespace sparsec {

Status agreeStatus(Communicator &ranks, const Status &mine) {
  Result<Agreement> agreed = ranks.agree(mine.ok() ? 0 : 1, mine.ok() ? 0 : 1);
  if (!agreed)
    return agreed.status();
  if (agreed->status == 0)
    return {};
  int root = 0;
  while (root + 1 < ranks.size() && ranks.programRank(root) != agreed->rank)
    ++root;
  std::string message = root == ranks.rank() ? mine.message() : std::string();
  int64_t length = int64_t(message.size());
  if (Status s = ranks.broadcast(&length, sizeof length, root); !s)
    return s;
  message.resize(size_t(length));
  if (Status s = ranks.broadcast(message.data(), length, root); !s)
    return s;
  if (agreed->total < ranks.size())
    message += fmt::format(" (on rank {})", agreed->rank);
  return Status::error(std::move(message));
}

} // namespace sparsec
