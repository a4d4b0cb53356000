// Kernel work divided over threads: ranges of bags, segments or rows that cost about the same. A unit is never cut, and
// kernels treat units alone, so where the cuts fall changes no bit.
#pragma once
#include "sparsec/ThreadPool.h"
#include <cstdint>
#include <vector>

namespace sparsec {

class Division {
public:
  /// Units [0, units) of piece `piece` (any number; handed back to the body). Unit u costs weight * (1 + offsets[u + 1]
  /// - offsets[u]); offsets may be null: weight each. Weights are floats touched.
  void add(int64_t piece, int64_t units, const int64_t *offsets, int64_t weight);

  /// body(piece, begin, end) on ranges that cover all units, from several threads.
  template <typename Body> void run(ThreadPool &pool, Body &&body) {
    cut();
    pool.parallel(int64_t(tasks.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t)
        body(tasks[t].piece, tasks[t].begin, tasks[t].end);
    });
  }

private:
  struct Piece {
    int64_t piece, units;
    const int64_t *offsets;
    int64_t weight;
    int64_t cost(int64_t begin, int64_t end) const;
  };
  struct Task {
    int64_t piece, begin, end;
  };
  void cut();
  std::vector<Piece> pieces;
  std::vector<Task> tasks;
};

} // namespace sparsec
