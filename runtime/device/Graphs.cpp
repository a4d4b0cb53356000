#include "device/Graphs.h"
#include <algorithm>

namespace sparsec {

static Status askEach(Device &device, WorkList::Words work) {
  Status status;
  while (status.ok() && !work.empty()) {
    WorkList::Words one = WorkList::first(work);
    status = WorkList::ask(device, one);
    work = work.subspan(one.size());
  }
  return status;
}

static int pieces(WorkList::Words work) {
  int n = 0;
  for (; !work.empty(); work = work.subspan(size_t(work[0])))
    n += 1;
  return n;
}

Status Graphs::askDirectly(Device &device, WorkList::Words work) {
  counted.direct += pieces(work);
  return askEach(device, work);
}

Status Graphs::ask(Device &device, WorkList::Words work) {
  auto same = [=](const std::vector<int64_t> &other) {
    return std::equal(work.begin(), work.end(), other.begin(), other.end());
  };
  if (pieces(work) < fewest)
    return askDirectly(device, work);
  auto known = std::find_if(graphs.begin(), graphs.end(), [&](const Known &k) { return same(k.work); });
  if (known == graphs.end()) {
    auto before = std::find_if(seen.begin(), seen.end(), same);
    if (before == seen.end()) {
      if (seen.size() == mostSeen)
        seen.pop_back();
      seen.emplace_front(work.begin(), work.end());
      return askDirectly(device, work);
    }
    // What libraries need for it they have since the first time.
    auto captured = device.capture([&] { return askEach(device, work); });
    if (graphs.size() == mostGraphs)
      graphs.pop_back(); // long since done: those under way were used last
    graphs.push_front({std::move(*before), std::move(*captured)});
    seen.erase(before);
    counted.captured += captured.ok();
    known = graphs.begin();
  }
  if (known != graphs.begin())
    std::rotate(graphs.begin(), known, known + 1);
  DeviceGraph *graph = graphs.front().graph.get();
  if (!graph)
    return askDirectly(device, work);
  counted.launched += 1;
  return device.launch(*graph);
}

} // namespace sparsec
