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

  /// `meets`: it is done together with other ranks.
  void push(int stream, std::function<Status()> work, bool meets = false);
  void record(int stream, const std::shared_ptr<EventState> &);
  void wait(int stream, const std::shared_ptr<EventState> &);
  /// Does all work; after an error none any more.
  Status drain();
  /// Does work until the last record of the event is done. What that does not wait for may be done as well, but not
  /// what meets other ranks: they need not be that far.
  Status drain(const EventState &);

private:
  struct Work {
    int64_t number; // in the order of asking
    std::function<Status()> run;
    std::shared_ptr<EventState> event; // to wait for, or null
    int64_t record = 0;                // which of its records
    bool meets = false;
    std::shared_ptr<EventState> records; // null, or what this is a record of: number `record`
    bool ready() const { return !event || event->done >= record; }
  };
  using Needed = std::vector<size_t>; // of each stream: how many pieces of work, from the first
  Needed all() const;
  void need(const EventState &, int64_t record, Needed &) const;
  std::deque<Work> *choose(const Needed &);
  Status drain(Needed, const std::function<bool()> &done);

  std::vector<std::deque<Work>> streams;
  EmulationOrder order;
  std::mt19937_64 random;
  int64_t asked = 0;
  Status first;
};

} // namespace sparsec::emulate
