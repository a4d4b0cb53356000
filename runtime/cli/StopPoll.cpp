#include "cli/StopPoll.h"
#include <algorithm>

namespace sparsec::cli {

Result<bool> StopPoll::afterStep(bool requested) {
  constexpr double seconds = 0.2;
  if (--left > 0)
    return false;
  // Rank 0's clock sets the next interval for all: the others add 0 to it.
  Clock::time_point now = Clock::now();
  double perStep = std::max(std::chrono::duration<double>(now - asked).count() / double(interval), 1e-9);
  int64_t wanted = std::clamp(int64_t(seconds / perStep), int64_t(1), 2 * interval);
  Result<Agreement> agreed = ranks.agree(requested ? 1 : 0, ranks.rank() == 0 ? wanted : 0);
  if (!agreed)
    return agreed.status();
  interval = left = agreed->total;
  asked = now;
  return agreed->status != 0;
}

} // namespace sparsec::cli
