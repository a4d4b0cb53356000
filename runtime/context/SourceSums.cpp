#include "SourceSums.h"
#include "RowPlaces.h"

namespace sparsec {

SourceSums combineSums(Context &context, const Owners &owners, const SparsecJagged &routed, const float *rows,
                       float *const *out, const int64_t *dim) {
  const int64_t *place = returnedPlaces(context, owners, routed);
  auto count = int64_t(owners.all().size());
  const float **sources = context.scratch<const float *>(owners.pairs()), **source = sources;
  SourceSum *sums = context.scratch<SourceSum>(count), *sum = sums;
  for (int64_t i = 0; i < count; ++i) {
    const SparsecItem &item = owners.all()[i];
    int64_t bags = owners.bags(routed, i), n = owners.sources(i);
    if (bags == 0)
      continue;
    *sum++ = {item.combine_kernel, bags, item.dim, {source, n, dim[item.lookup], out[item.lookup] + item.col0}};
    for (int64_t o = 0; o < n; ++o)
      *source++ = rows + place[owners.pair(i, o)];
  }
  return {{sums, sum}, {sources, source}};
}

SourceSums nodeSums(Context &context, const Owners &owners, const SparsecJagged &received, const float *rows,
                    float *out) {
  const Mesh &mesh = context.program().mesh;
  int64_t mine = owners.mine(), pieces = mesh.nodes * mine, myShard = owners.me() % mesh.shards, floats = 0;
  SourceSum *sums = context.scratch<SourceSum>(pieces);
  int64_t *place = context.scratch<int64_t>(pieces);
  for (int64_t k = 0; k < pieces; ++k) {
    int64_t source = k / mine * mesh.shards + myShard, i = k % mine;
    const int64_t *start = received.bag_start + source * mine + i;
    const SparsecItem &item = owners.myItem(i);
    place[k] = floats;
    sums[k] = {item.combine_kernel, start[1] - start[0], item.dim, {nullptr, mesh.shards, item.dim, out + floats}};
    floats += sums[k].bags * item.dim;
  }
  const float **sources = context.scratch<const float *>(pieces * mesh.shards), **source = sources;
  for (int64_t k = 0; k < pieces; ++k) {
    sums[k].argument.source = source;
    for (int64_t owner = 0; owner < mesh.shards; ++owner)
      *source++ = rows + owner * floats + place[k];
  }
  return {{sums, size_t(pieces)}, {sources, source}};
}

} // namespace sparsec
