#include "Division.h"
#include <algorithm>

namespace sparsec {

int64_t Division::Piece::cost(int64_t begin, int64_t end) const {
  return weight * (end - begin + (offsets ? offsets[end] - offsets[begin] : 0));
}

void Division::add(int64_t piece, int64_t units, const int64_t *offsets, int64_t weight) {
  if (units > 0)
    pieces.push_back({piece, units, offsets, std::max<int64_t>(weight, 1)});
}

void Division::cut() {
  constexpr int64_t leastCost = 8192; // floats: a few microseconds
  constexpr int64_t mostTasks = 256;
  int64_t total = 0;
  for (const Piece &piece : pieces)
    total += piece.cost(0, piece.units);
  int64_t limit = std::max(leastCost, total / mostTasks + 1);
  for (const Piece &piece : pieces) {
    for (int64_t begin = 0; begin < piece.units;) {
      // The most units that cost no more than the limit, but at least one.
      int64_t low = begin + 1, high = piece.units;
      while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (piece.cost(begin, middle) <= limit)
          low = middle;
        else
          high = middle - 1;
      }
      tasks.push_back({piece.piece, begin, low});
      begin = low;
    }
  }
  pieces.clear();
}

} // namespace sparsec
