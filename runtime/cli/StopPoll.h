// Whether someone asked this run to stop.
#pragma once
#include "sparsec/Communicator.h"
#include <chrono>

namespace sparsec::cli {

/// A signal reaches ranks at different steps, if it reaches all of them at all. So they ask each other, about five
/// times a second, and stop after the same step.
class StopPoll {
public:
  explicit StopPoll(Communicator &ranks) : ranks(ranks) {}
  /// Every rank calls it after every step. True, on all ranks alike: stop now.
  Result<bool> afterStep(bool requested);

private:
  using Clock = std::chrono::steady_clock;
  Communicator &ranks;
  int64_t interval = 1, left = 1; // steps between questions, and to the next
  Clock::time_point asked = Clock::now();
};

} // namespace sparsec::cli
