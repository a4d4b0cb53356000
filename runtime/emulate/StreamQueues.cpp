#include "emulate/StreamQueues.h"
#include <algorithm>
#include <utility>

namespace sparsec::emulate {

StreamQueues::StreamQueues(int streams, EmulationOrder order) : streams(streams), order(order), random(order.seed) {}

void StreamQueues::push(int stream, std::function<Status()> work) {
  streams[stream].push_back({asked++, std::move(work), nullptr});
}

void StreamQueues::record(int stream, const std::shared_ptr<EventState> &event) {
  push(stream, [event, number = ++event->asked]() -> Status {
    event->done = number;
    return {};
  });
}

void StreamQueues::wait(int stream, const std::shared_ptr<EventState> &event) {
  streams[stream].push_back({asked++, [] { return Status(); }, event, event->asked});
}

/// The stream whose first work is done next; null: there is no work. The work that was asked for first is always ready,
/// since what it waits for was asked for before.
std::deque<StreamQueues::Work> *StreamQueues::choose() {
  std::vector<std::deque<Work> *> ready;
  for (std::deque<Work> &stream : streams)
    if (!stream.empty() && stream.front().ready())
      ready.push_back(&stream);
  if (ready.empty())
    return nullptr;
  auto earlier = [](const std::deque<Work> *a, const std::deque<Work> *b) {
    return a->front().number < b->front().number;
  };
  if (order.kind == EmulationOrder::random)
    return ready[random() % ready.size()];
  auto [oldest, latest] = std::minmax_element(ready.begin(), ready.end(), earlier);
  return order.kind == EmulationOrder::forward ? *oldest : *latest;
}

Status StreamQueues::drain() {
  while (first.ok()) {
    std::deque<Work> *stream = choose();
    if (!stream)
      return {};
    Work work = std::move(stream->front());
    stream->pop_front();
    first = work.run();
  }
  for (std::deque<Work> &stream : streams)
    stream.clear();
  return first;
}

} // namespace sparsec::emulate
