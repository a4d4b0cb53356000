// Streams of an emulated device: work waits until somebody synchronizes, and is then done in an order that streams and
// events allow. Where the program forgot an event, some order gives a wrong number.
#pragma once
#include "sparsec/Emulate.h"
#include "sparsec/Status.h"
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace sparsec::emulate {

/// How many of its records have been asked for, and how many are done.
struct EventState {
  int64_t asked = 0, done = 0;
};

class StreamQueues {
public:
  /// forward: in the order of asking. reversed: of what may be next, what was asked for last. random: any of it.
  StreamQueues(int streams, EmulationOrder);

  void push(int stream, std::function<Status()> work);
  void record(int stream, const std::shared_ptr<EventState> &);
  void wait(int stream, const std::shared_ptr<EventState> &);
  /// Does all work; after an error none any more.
  Status drain();

private:
  struct Work {
    int64_t number; // in the order of asking
    std::function<Status()> run;
    std::shared_ptr<EventState> event; // to wait for, or null
    int64_t record = 0;                // which of its records
    bool ready() const { return !event || event->done >= record; }
  };
  std::deque<Work> *choose();

  std::vector<std::deque<Work>> streams;
  EmulationOrder order;
  std::mt19937_64 random;
  int64_t asked = 0;
  Status first;
};

} // namespace sparsec::emulate
