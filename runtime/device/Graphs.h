// Graphs of work that comes again and again. A graph stands for exactly the work it was made of: other work, be it only
// by one count, is asked for directly.
#pragma once
#include "device/WorkList.h"
#include "sparsec/WorkTime.h"
#include <deque>

namespace sparsec {

class Graphs {
public:
  /// Pieces of work of the compute stream, in order: as a graph if the same came before.
  Status ask(Device &, WorkList::Words work);
  const GraphCounts &counts() const { return counted; }

private:
  struct Known {
    std::vector<int64_t> work;
    std::unique_ptr<DeviceGraph> graph; // null: it cannot be captured
  };
  /// Work that is shorter gains nothing from a graph.
  static constexpr int fewest = 3;
  /// What is kept: graphs of a few submissions of two staging sets each, and work that may become some.
  static constexpr size_t mostGraphs = 32, mostSeen = 32;

  Status askDirectly(Device &, WorkList::Words);
  std::deque<Known> graphs;              // the last used in front
  std::deque<std::vector<int64_t>> seen; // once, the latest in front
  GraphCounts counted;
};

} // namespace sparsec
