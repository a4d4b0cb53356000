#include "emulate/StreamQueues.h"
#include <algorithm>
#include <utility>

namespace sparsec::emulate {

StreamQueues::StreamQueues(int streams, EmulationOrder order) : streams(streams), order(order), random(order.seed) {}

void StreamQueues::push(int stream, std::function<Status()> work, bool meets) {
  streams[stream].push_back({asked++, std::move(work), nullptr, 0, meets, nullptr});
}

void StreamQueues::record(int stream, const std::shared_ptr<EventState> &event) {
  int64_t number = ++event->asked;
  streams[stream].push_back({asked++,
                             [event, number]() -> Status {
                               event->done = number;
                               return {};
                             },
                             nullptr, number, false, event});
}

void StreamQueues::wait(int stream, const std::shared_ptr<EventState> &event) {
  streams[stream].push_back({asked++, [] { return Status(); }, event, event->asked, false, nullptr});
}

StreamQueues::Needed StreamQueues::all() const {
  Needed needed;
  for (const std::deque<Work> &stream : streams)
    needed.push_back(stream.size());
  return needed;
}

/// Adds what comes before a record of an event: in its stream, and in others what that waits for.
void StreamQueues::need(const EventState &event, int64_t record, Needed &needed) const {
  for (size_t s = 0; s < streams.size(); ++s)
    for (size_t i = 0; i < streams[s].size(); ++i) {
      if (streams[s][i].records.get() != &event || streams[s][i].record != record)
        continue;
      size_t from = needed[s];
      needed[s] = std::max(from, i + 1);
      for (size_t k = from; k < i; ++k)
        if (const Work &work = streams[s][k]; work.event && !work.ready())
          need(*work.event, work.record, needed);
    }
}

/// The stream whose first work is done next; null: there is no work. Of needed work, what was asked for first is always
/// ready, since what it waits for was asked for before.
std::deque<StreamQueues::Work> *StreamQueues::choose(const Needed &needed) {
  std::vector<std::deque<Work> *> ready;
  for (size_t s = 0; s < streams.size(); ++s)
    if (!streams[s].empty() && streams[s].front().ready() && (needed[s] > 0 || !streams[s].front().meets))
      ready.push_back(&streams[s]);
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

Status StreamQueues::drain(Needed needed, const std::function<bool()> &done) {
  while (first.ok() && !done()) {
    std::deque<Work> *stream = choose(needed);
    if (!stream)
      return {};
    Work work = std::move(stream->front());
    stream->pop_front();
    if (size_t &left = needed[size_t(stream - streams.data())]; left > 0)
      left -= 1;
    first = work.run();
  }
  if (!first.ok())
    for (std::deque<Work> &stream : streams)
      stream.clear();
  return first;
}

Status StreamQueues::drain() {
  return drain(all(), [] { return false; });
}

Status StreamQueues::drain(const EventState &event) {
  Needed needed(streams.size());
  need(event, event.asked, needed);
  return drain(std::move(needed), [&] { return event.done >= event.asked; });
}

} // namespace sparsec::emulate
