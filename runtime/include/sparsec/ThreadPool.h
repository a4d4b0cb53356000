// Threads of one model instance. The ranges a body sees depend on n and grain alone, never on the number of threads, so
// a result that depends on where ranges are cut is still the same at any thread count.
#pragma once
#include "sparsec/Status.h"
#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace sparsec {

class ThreadPool {
public:
  /// The calling thread works too: `threads` - 1 are started. 0: as many as the machine has. See started().
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return count; }
  /// Why the system did not give that many threads; the pool then does all its work on the calling one.
  const Status &started() const { return start; }

  /// Calls body(begin, end) on disjoint ranges that cover [0, n); ranges but the last have rangeLength(n, grain)
  /// elements. Returns when all are done. What a body throws is thrown here, the first of several, when the
  /// ranges under way have ended; others are then left out. A call from a body, or while another thread uses the
  /// pool, runs all its ranges on its own thread.
  template <typename Body> void parallel(int64_t n, int64_t grain, Body &&body) {
    int64_t length = rangeLength(n, grain);
    if (count == 1 || n <= length) {
      for (int64_t begin = 0; begin < n; begin += length)
        body(begin, std::min(begin + length, n));
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    dispatch(n, length, const_cast<void *>(static_cast<const void *>(&body)),
             [](void *argument, int64_t begin, int64_t end) { (*static_cast<Plain *>(argument))(begin, end); });
  }

  /// At most `maxRanges` ranges of at least `grain` elements.
  static constexpr int64_t maxRanges = 256;
  static int64_t rangeLength(int64_t n, int64_t grain) {
    return std::max({grain, (n + maxRanges - 1) / maxRanges, int64_t(1)});
  }

private:
  struct State;
  using Call = void (*)(void *, int64_t, int64_t);
  void dispatch(int64_t n, int64_t length, void *argument, Call call);

  int count;
  Status start;
  std::unique_ptr<State> state; // null: one thread
};

} // namespace sparsec
