#include "Owners.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec {

Result<Owners> Owners::create(Context &context, int32_t axes, const SparsecItem *items, int64_t count, bool inNode) {
  Communicator &communicator = context.communicator(axes);
  const Mesh &mesh = context.program().mesh;
  if (Status status = inNode ? checkGroup(context, axes) : Status(); !status)
    return status;
  Owners owners;
  owners.items = {items, size_t(count)};
  owners.twoSteps = inNode;
  owners.rankCount = communicator.size();
  owners.self = communicator.rank();
  owners.first = context.scratch<int64_t>(owners.rankCount + 1);
  owners.start = context.scratch<int64_t>(count + 1);
  std::fill_n(owners.first, owners.rankCount + 1, 0);
  owners.start[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const SparsecItem &item = items[i];
    if (item.first < 0 || item.count < 1 || item.first > owners.rankCount - item.count || item.rows < 0 ||
        item.dim < 0 || item.col0 < 0)
      return Status::error(fmt::format("item {} of an exchange over {} ranks: owners {} + {}, {} rows, columns {} + {}",
                                       i, owners.rankCount, item.first, item.count, item.rows, item.col0, item.dim));
    if (inNode && (item.count != mesh.shards || item.first % mesh.shards != 0))
      return Status::error(fmt::format("item {} of an exchange in two steps: expected the {} ranks of a node as "
                                       "owners, but got {} + {}",
                                       i, mesh.shards, item.first, item.count));
    owners.start[i + 1] = owners.start[i] + item.count;
    for (int64_t r = item.first; r < item.first + item.count; ++r)
      owners.first[r + 1] += 1;
  }
  for (int64_t r = 0; r < owners.rankCount; ++r)
    owners.first[r + 1] += owners.first[r];
  owners.itemOf = context.scratch<int32_t>(owners.pairs());
  owners.pairOf = context.scratch<int64_t>(owners.pairs());
  int64_t *next = context.scratch<int64_t>(owners.rankCount);
  std::copy_n(owners.first, owners.rankCount, next);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t o = 0; o < items[i].count; ++o) {
      int64_t pair = next[items[i].first + o]++;
      owners.itemOf[pair] = int32_t(i);
      owners.pairOf[owners.start[i] + o] = pair;
    }
  return owners;
}

Status Owners::checkGroup(const Context &context, int32_t axes) {
  const Mesh &mesh = context.program().mesh;
  int ranks = context.communicator(axes).size();
  if (ranks == mesh.groupSize())
    return {};
  return Status::error(fmt::format("an exchange in two steps over {} ranks: expected the {} x {} of a group", ranks,
                                   mesh.nodes, mesh.shards));
}

} // namespace sparsec
