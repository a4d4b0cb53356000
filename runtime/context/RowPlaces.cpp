#include "RowPlaces.h"

namespace sparsec {

const int64_t *servedPlaces(Context &context, const Owners &owners, const SparsecJagged &received) {
  int64_t mine = owners.mine(), step = owners.inNode() ? context.program().mesh.shards : 1;
  int64_t *place = context.scratch<int64_t>(owners.ranks() * mine);
  int64_t next = 0;
  for (int64_t first = 0; first < step; ++first)
    for (int64_t r = first; r < owners.ranks(); r += step)
      for (int64_t i = 0; i < mine; ++i) {
        const int64_t *start = received.bag_start + r * mine + i;
        place[r * mine + i] = next;
        next += (start[1] - start[0]) * owners.myItem(i).dim;
      }
  return place;
}

const int64_t *returnedPlaces(Context &context, const Owners &owners, const SparsecJagged &routed) {
  int64_t *place = context.scratch<int64_t>(owners.pairs());
  int64_t next = 0, step = owners.inNode() ? context.program().mesh.shards : 1;
  for (int64_t r = 0; r < owners.ranks(); ++r)
    for (int64_t p = owners.firstPair(r); p < owners.firstPair(r + 1); ++p) {
      place[p] = next;
      if (r % step == 0)
        next += (routed.bag_start[p + 1] - routed.bag_start[p]) * owners.item(p).dim;
    }
  return place;
}

} // namespace sparsec
