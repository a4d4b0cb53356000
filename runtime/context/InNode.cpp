// The step inside a node of an exchange in two: partial sums of its ranks meet, their gradients go to all of them.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "Owners.h"
#include <cstring>

namespace sparsec {

namespace {

Status count(Context &context, int32_t axes, const int64_t *toAsker, const int64_t *fromOwner, int64_t *insideSend,
             int64_t *insideReceive, int64_t *acrossSend, int64_t *acrossReceive) {
  const Mesh &mesh = context.program().mesh;
  if (Status status = Owners::checkGroup(context, axes); !status)
    return status;
  int64_t myShard = context.communicator(axes).rank() % mesh.shards, sums = 0;
  for (int64_t n = 0; n < mesh.nodes; ++n) {
    sums += acrossSend[n] = toAsker[n * mesh.shards + myShard];
    acrossReceive[n] = fromOwner[n * mesh.shards]; // each rank of a node serves me as much
  }
  for (int64_t s = 0; s < mesh.shards; ++s) {
    insideReceive[s] = sums; // what I gather is as long at each rank of my node
    insideSend[s] = 0;
    for (int64_t n = 0; n < mesh.nodes; ++n)
      insideSend[s] += toAsker[n * mesh.shards + s];
  }
  return {};
}

} // namespace

/// The kernel of each item adds the lists of the owners: one piece for each (node of the asker, my item).
Status HostEngine::sumInNode(const Owners &owners, const SparsecJagged &received, const float *rows, float *out) {
  const Mesh &mesh = context.program().mesh;
  int64_t mine = owners.mine(), pieces = mesh.nodes * mine, myShard = owners.me() % mesh.shards, floats = 0;
  int64_t *bags = context.scratch<int64_t>(pieces), *place = context.scratch<int64_t>(pieces);
  for (int64_t k = 0; k < pieces; ++k) {
    int64_t source = k / mine * mesh.shards + myShard, i = k % mine;
    const int64_t *start = received.bag_start + source * mine + i;
    bags[k] = start[1] - start[0];
    place[k] = floats;
    floats += bags[k] * owners.myItem(i).dim;
  }
  const float **source = context.scratch<const float *>(pieces * mesh.shards);
  SparsecCombine *argument = context.scratch<SparsecCombine>(pieces);
  Division division;
  for (int64_t k = 0; k < pieces; ++k) {
    int64_t dim = owners.myItem(k % mine).dim;
    argument[k] = {source, mesh.shards, dim, out + place[k]};
    for (int64_t owner = 0; owner < mesh.shards; ++owner)
      *source++ = rows + owner * floats + place[k];
    division.add(k, bags[k], nullptr, dim * (mesh.shards + 1));
  }
  division.run(context.pool(), [&](int64_t k, int64_t begin, int64_t end) {
    owners.myItem(k % mine).combine_kernel.host(&argument[k], begin, end);
  });
  return {};
}

Status HostEngine::copyInNode(const float *gradient, int64_t floats, float *rows) {
  int64_t shards = context.program().mesh.shards;
  context.pool().parallel(floats, 1 + 8192 / shards, [&](int64_t begin, int64_t end) {
    for (int64_t owner = 0; owner < shards; ++owner)
      std::memcpy(rows + owner * floats + begin, gradient + begin, size_t(end - begin) * sizeof(float));
  });
  return {};
}

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_node_counts(SparsecContext *handle, int32_t axes, const int64_t *toAsker, const int64_t *fromOwner,
                            int64_t *insideSend, int64_t *insideReceive, int64_t *acrossSend, int64_t *acrossReceive) {
  return guarded(handle, [&](Context &context) {
    return count(context, axes, toAsker, fromOwner, insideSend, insideReceive, acrossSend, acrossReceive);
  });
}

int32_t sparsec_sum_in_node(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                            const SparsecJagged *received, const float *rows, float *out) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, /*inNode=*/true);
    return owners ? context.engine().sumInNode(*owners, *received, rows, out) : owners.status();
  });
}

int32_t sparsec_copy_in_node(SparsecContext *handle, const float *gradient, int64_t floats, float *rows) {
  return guarded(handle, [&](Context &context) { return context.engine().copyInNode(gradient, floats, rows); });
}

} // extern "C"
